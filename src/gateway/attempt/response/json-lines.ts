import { JsonExtent } from '#platform/core/json-extent.ts'
import { maxEventBytes, type SseEvent } from '#platform/net/sse.ts'
import { ByteBuffer } from '#platform/text/byte-buffer.ts'

const lineFeed = 10
const lineEnd = Buffer.from('\n')
const dataPrefix = Buffer.from('data: ')

/** A proxy joins a few objects. */
const maxJoinedObjects = 1000

/** Turns a stream with a JSON object on each line into server-sent events, as bytes. */
export class JsonLines {
  readonly #buffer = new ByteBuffer()

  /** @throws Error if a line is too long. */
  push(chunk: Buffer): Buffer {
    const end = chunk.lastIndexOf(lineFeed) + 1
    const lines = end > 0 ? this.#buffer.take(chunk.subarray(0, end)) : undefined
    if (end < chunk.length) this.#buffer.add(chunk.subarray(end))
    if (this.#buffer.byteLength > maxEventBytes) throw new Error(`a line is over ${maxEventBytes} bytes`)
    return lines ? toEventStream(lines) : Buffer.alloc(0)
  }

  /** The last line, which can have no end. */
  end(): Buffer {
    return toEventStream(this.#buffer.take(lineEnd))
  }
}

/** Content types of streams with a JSON object on each line. */
export const isJsonLinesType = (contentType: string) => /\b(?:x-)?(?:ndjson|jsonlines|jsonl)\b/i.test(contentType)

function toEventStream(lines: Buffer): Buffer {
  const pieces: Buffer[] = []
  let at = 0
  while (at < lines.length) {
    const end = lines.indexOf(lineFeed, at)
    // Objects can be separated by blank lines.
    if (lines.toString('latin1', at, end).trim() !== '') pieces.push(dataPrefix, lines.subarray(at, end + 1), lineEnd)
    at = end + 1
  }
  return Buffer.concat(pieces)
}

/** Whether a text is several lines with a JSON object each. A whole JSON value on several lines is not. */
export function isJsonLines(text: string): boolean {
  return /^\s*\{.*\}[ \t\r]*\n\s*\{/.test(text)
}

/**
 * Splits an event that has a whole object, or the end mark, on each line: some servers omit the blank lines between events.
 * Returns any other event unchanged, in a list.
 */
export function splitByLine(event: SseEvent): SseEvent[] {
  if (!isJsonLines(event.data) && !/\}[ \t\r]*\n\s*\[DONE\]/i.test(event.data)) return [event]
  return event.data.split('\n').map((data) => ({ ...event, data, raw: Buffer.from(`data: ${data}\n\n`) }))
}

/**
 * Splits an event with several objects on one line, which a proxy joined: `{…}{…}` or `{…}data: {…}`. Returns undefined for any
 * other event.
 */
export function splitJoined(event: SseEvent): SseEvent[] | undefined {
  const parts: string[] = []
  let rest = event.data.trim()
  while (rest.startsWith('{')) {
    if (parts.length === maxJoinedObjects) return undefined
    const end = new JsonExtent().push(rest)
    parts.push(rest.slice(0, end))
    rest = rest.slice(end).replace(/^\s*(?:data:)?\s*/, '')
  }
  if (rest !== '') parts.push(rest)
  if (parts.length < 2) return undefined
  return parts.map((data) => ({ ...event, data, raw: Buffer.from(`data: ${data}\n\n`) }))
}
