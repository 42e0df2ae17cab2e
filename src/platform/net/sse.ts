import { ByteBuffer } from '../text/byte-buffer.ts'
import { withoutByteOrderMark } from '../text/decode-bytes.ts'

/** A server-sent event: its fields, and its original bytes with the blank line. */
export type SseEvent = { event: string | undefined; data: string; raw: Buffer }

const lineFeed = 10
const carriageReturn = 13
const carriageReturnBytes = Buffer.from('\r')
const blankLine = Buffer.from('\n\n')

/** Larger events are refused, because a whole event is held in memory. */
export const maxEventBytes = 32 * 1024 * 1024
/** The limit of lines in one event. A whole stream of tokens without blank lines, which counts as one event, has fewer. */
const maxEventLines = 100_000

/**
 * Splits a stream of bytes into events. Chunks can end anywhere: within a line, within a character, between CR and LF. Each
 * byte is read once, so the cost is linear for large events too.
 */
export class SseReader {
  readonly #buffer = new ByteBuffer()
  /** Whether the unfinished line at the end of the last chunk is empty. */
  #isLineBlank = true
  #isFirst = true
  /** Whether lines end with CR alone. Undefined until the first line end. */
  #usesCr: boolean | undefined
  /** A CR at the end of a chunk, while it is not known whether LF follows. */
  #hasPendingCr = false
  readonly #maxIdleBytes: number
  #idleBytes = 0

  /** @param maxIdleBytes the limit of consecutive bytes without data: blank lines, comments, and events without data. */
  constructor(maxIdleBytes = Number.POSITIVE_INFINITY) {
    this.#maxIdleBytes = maxIdleBytes
  }

  /** Whether no part of an event is buffered. */
  get isBetweenEvents(): boolean {
    return this.#isLineBlank && this.#buffer.byteLength === 0
  }

  /** Resets the count of idle bytes, for events with data that the caller has parsed itself. */
  resetIdleBytes(): void {
    this.#idleBytes = 0
  }

  /** @throws Error if an event exceeds 32 MiB or 100,000 lines, or too many idle bytes arrive. */
  push(input: Buffer): SseEvent[] {
    const chunk = this.#usesCr === false ? input : this.#withLineFeeds(input)
    const events: SseEvent[] = []
    let eventStart = 0
    let lineStart = 0
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, lineStart)) {
      const endsEvent = this.#isLineBlank && isBlank(chunk, lineStart, at)
      this.#isLineBlank = true
      lineStart = at + 1
      if (!endsEvent) continue
      // Consecutive blank lines end one event.
      while (chunk[lineStart] === lineFeed) lineStart++
      const bytes = lineStart - eventStart + this.#buffer.byteLength
      const event = this.#parse(chunk.subarray(eventStart, at + 1))
      if (event) events.push(event)
      this.#countIdleBytes(event, bytes)
      eventStart = lineStart
    }
    this.#isLineBlank &&= isBlank(chunk, lineStart, chunk.length)
    this.#bufferRest(chunk.subarray(eventStart))
    return events
  }

  /** Returns the text after the last blank line as an event, because some upstreams omit the last blank line. */
  end(): SseEvent[] {
    const event = this.#parse(blankLine)
    return event ? [event] : []
  }

  /** Replaces CR by LF in a stream that ends its lines with CR alone, as the standard permits. */
  #withLineFeeds(input: Buffer): Buffer {
    const chunk = this.#hasPendingCr ? Buffer.concat([carriageReturnBytes, input]) : input
    this.#hasPendingCr = false
    if (this.#usesCr === undefined) {
      const at = chunk.findIndex((byte) => byte === carriageReturn || byte === lineFeed)
      this.#hasPendingCr = at === chunk.length - 1 && chunk[at] === carriageReturn
      if (this.#hasPendingCr) return chunk.subarray(0, -1)
      if (at !== -1) this.#usesCr = chunk[at] === carriageReturn && chunk[at + 1] !== lineFeed
    }
    return this.#usesCr ? Buffer.from(chunk.map((byte) => (byte === carriageReturn ? lineFeed : byte))) : chunk
  }

  /** Parses an event. The first one can start with a byte order mark. */
  #parse(last: Buffer): SseEvent | undefined {
    const raw = this.#buffer.take(last)
    const isFirst = this.#isFirst
    this.#isFirst = false
    return parse(isFirst ? withoutByteOrderMark(raw) : raw)
  }

  #countIdleBytes(event: SseEvent | undefined, bytes: number): void {
    this.#idleBytes = event?.data ? 0 : this.#idleBytes + bytes
    if (this.#idleBytes > this.#maxIdleBytes) throw new Error(`it has no event in ${this.#maxIdleBytes} bytes`)
  }

  #bufferRest(rest: Buffer): void {
    if (rest.length === 0) return
    if (this.#buffer.byteLength + rest.length > maxEventBytes)
      throw new Error(`an event is over ${maxEventBytes} bytes`)
    this.#buffer.add(rest)
  }
}

function isBlank(chunk: Buffer, start: number, end: number): boolean {
  return end === start || (end === start + 1 && chunk[start] === carriageReturn)
}

/** Returns undefined for an event without data, such as a comment. */
function parse(raw: Buffer): SseEvent | undefined {
  return parseOneLine(raw) ?? parseLines(raw)
}

const space = 32

/** Parses the usual event of one `data` line and a blank line without splitting it. */
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
  let hasOtherLines = false
  const lines = raw.toString('utf8').split(/\r?\n/, maxEventLines + 1)
  if (lines.length > maxEventLines) throw new Error(`an event has over ${maxEventLines} lines`)
  for (const line of lines) {
    if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5)
      data = data === undefined ? value : `${data}\n${value}`
    } else if (line.startsWith('event:')) {
      event = line.slice(6).trim()
    } else if (isDataWithoutField(line, data)) {
      data = data === undefined ? line : `${data}\n${line}`
      hasOtherLines = true
    }
  }
  if (data === undefined) return undefined
  return { event, data, raw: hasOtherLines ? toEvent(event, data) : raw }
}

/**
 * Whether a line is JSON that a server sent without the field `data`: an object, such as the error of a proxy, or the
 * later lines of one that was written on several lines.
 */
function isDataWithoutField(line: string, dataBefore: string | undefined): boolean {
  return dataBefore === undefined ? /^\s*\{/.test(line) : /^\s*["{}[\]]/.test(line)
}

function toEvent(event: string | undefined, data: string): Buffer {
  const lines = data.split('\n').map((line) => `data: ${line}\n`)
  return Buffer.from(`${event ? `event: ${event}\n` : ''}${lines.join('')}\n`)
}
