import { stripVTControlCharacters } from 'node:util'
import { Fault } from '../core/fault.ts'
import { ByteBuffer } from './byte-buffer.ts'

const newline = 10

/**
 * Splits a stream of bytes into lines of UTF-8 without the newline. Bytes are counted before they are decoded, so that a
 * line over the limit is not buffered.
 */
export class LineReader {
  readonly #maxBytes: number
  readonly #buffer = new ByteBuffer()
  #chunk: Buffer = Buffer.alloc(0)
  /** The start of the next line in the chunk. */
  #lineStart = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Adds a chunk. `next` must have returned undefined for the previous one. */
  push(chunk: Buffer): void {
    this.#chunk = chunk
    this.#lineStart = 0
  }

  /** @returns undefined if the next line is incomplete. @throws Fault `payload_too_large` */
  next(): string | undefined {
    const end = this.#chunk.indexOf(newline, this.#lineStart)
    const piece = this.#chunk.subarray(this.#lineStart, end === -1 ? this.#chunk.length : end)
    if (this.#buffer.byteLength + piece.length > this.#maxBytes)
      throw new Fault('payload_too_large', `A line is longer than ${this.#maxBytes} bytes.`)
    if (end !== -1) {
      this.#lineStart = end + 1
      return this.#buffer.take(piece).toString('utf8')
    }
    // A slice is copied, because it would keep the whole chunk in memory until the line is complete.
    if (piece.length > 0) this.#buffer.add(this.#lineStart === 0 ? piece : Buffer.from(piece))
    this.push(Buffer.alloc(0))
    return undefined
  }
}

/** Creates a function that takes the chunks in order and returns the lines that each one completes. */
export function createLineSplitter(maxBytes: number): (chunk: Buffer) => string[] {
  const reader = new LineReader(maxBytes)
  return (chunk) => {
    reader.push(chunk)
    const lines: string[] = []
    for (let line = reader.next(); line !== undefined; line = reader.next()) lines.push(line)
    return lines
  }
}

/**
 * Removes what a program can print before a line of JSON: a byte order mark, which `trimStart` removes, and escape sequences of a
 * terminal.
 */
export const trimJsonLine = (line: string): string =>
  (startsWithJson(line) ? line : stripVTControlCharacters(line)).trimStart()

const startsWithJson = (line: string) => /^\s*[{[]/.test(line)
