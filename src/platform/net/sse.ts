import { ByteBuffer } from '../text/byte-buffer.ts'
import { withoutMark } from '../text/text-of-bytes.ts'

/** One server-sent event: its fields, and the very bytes it came in, blank line included. */
export type SseEvent = { event: string | undefined; data: string; raw: Buffer }

const lineFeed = 10
const carriageReturn = 13
const blankLine = Buffer.from('\n\n')

/** Larger events are refused: nobody sends them, and they would have to be held in memory whole. */
const maxEventBytes = 32 * 1024 * 1024

/**
 * Cuts a byte stream into events, wherever the chunks break: in a line, in a character, between CR and LF. Each byte is
 * looked at once, so that one event of many megabytes costs no more than many small ones.
 */
export class SseReader {
  readonly #held = new ByteBuffer()
  /** Whether the line that the next chunk continues is still empty. */
  #lineIsBlank = true
  #isFirst = true
  readonly #maxIdleBytes: number
  #idleBytes = 0

  /** @param maxIdleBytes of blank lines, comments and events without data in a row are refused. */
  constructor(maxIdleBytes = Number.POSITIVE_INFINITY) {
    this.#maxIdleBytes = maxIdleBytes
  }

  /** Whether the next chunk begins an event. */
  get isBetweenEvents(): boolean {
    return this.#lineIsBlank && this.#held.bytes === 0
  }

  /** Notes an event that was read without this reader. */
  noteEvent(): void {
    this.#idleBytes = 0
  }

  /** @throws Error when an event is over 32 MiB, or nothing comes but idle bytes. */
  push(chunk: Buffer): SseEvent[] {
    const events: SseEvent[] = []
    let eventStart = 0
    let lineStart = 0
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, lineStart)) {
      const blank = this.#lineIsBlank && isBlank(chunk, lineStart, at)
      this.#lineIsBlank = true
      lineStart = at + 1
      if (!blank) continue
      // A run of blank lines is one end of an event.
      while (chunk[lineStart] === lineFeed) lineStart++
      const bytes = lineStart - eventStart + this.#held.bytes
      const event = this.#parse(chunk.subarray(eventStart, at + 1))
      if (event) events.push(event)
      this.#count(event, bytes)
      eventStart = lineStart
    }
    this.#lineIsBlank &&= isBlank(chunk, lineStart, chunk.length)
    this.#hold(chunk.subarray(eventStart))
    return events
  }

  /** The text after the last blank line, as an event: some upstreams send no blank line at the end. It gets one. */
  end(): SseEvent[] {
    const event = this.#parse(blankLine)
    return event ? [event] : []
  }

  /** The first event may have a byte order mark before it. */
  #parse(last: Buffer): SseEvent | undefined {
    const raw = this.#held.take(last)
    const isFirst = this.#isFirst
    this.#isFirst = false
    return parse(isFirst ? withoutMark(raw) : raw)
  }

  #count(event: SseEvent | undefined, bytes: number): void {
    this.#idleBytes = event?.data ? 0 : this.#idleBytes + bytes
    if (this.#idleBytes > this.#maxIdleBytes) throw new Error(`it has no event in ${this.#maxIdleBytes} bytes`)
  }

  #hold(rest: Buffer): void {
    if (rest.length === 0) return
    if (this.#held.bytes + rest.length > maxEventBytes) throw new Error(`an event is over ${maxEventBytes} bytes`)
    this.#held.add(rest)
  }
}

function isBlank(chunk: Buffer, start: number, end: number): boolean {
  return end === start || (end === start + 1 && chunk[start] === carriageReturn)
}

/** Undefined for an event without data: a comment, or blank lines in a row. */
function parse(raw: Buffer): SseEvent | undefined {
  return parseOneLine(raw) ?? parseLines(raw)
}

const space = 32

/** Most events are one line of data and a blank one: then there is nothing to split. */
function parseOneLine(raw: Buffer): SseEvent | undefined {
  const end = raw.length - 2
  if (end < 6 || raw.indexOf(lineFeed) !== end || raw[end - 1] === carriageReturn || raw[end + 1] !== lineFeed)
    return undefined
  if (raw.toString('latin1', 0, 5) !== 'data:') return undefined
  return { event: undefined, data: raw.toString('utf8', raw[5] === space ? 6 : 5, end), raw }
}

function parseLines(raw: Buffer): SseEvent | undefined {
  let event: string | undefined
  let data: string | undefined
  for (const line of raw.toString('utf8').split(/\r?\n/)) {
    if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5)
      data = data === undefined ? value : `${data}\n${value}`
    } else if (line.startsWith('event:')) {
      event = line.slice(6).trim()
    }
  }
  return data === undefined ? undefined : { event, data, raw }
}
