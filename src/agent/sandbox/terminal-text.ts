import { stripVTControlCharacters } from 'node:util'
import { BoundedText } from './bounded-text.ts'

/** A longer line is stored before its end has arrived, which bounds memory. */
const maxLineBytes = 64 * 1024

/**
 * Collects the output of a command as a terminal shows it at the end: text that follows a carriage return replaces the text
 * of its line. Only the lines that remain count against the limits.
 */
export class TerminalText {
  readonly #lines: BoundedText
  /** The last line, which is not complete. */
  #line: Buffer = Buffer.alloc(0)
  #totalBytes = 0

  /** @param limits the bytes that are stored of the beginning and of the end. */
  constructor(limits: { head: number; tail: number }) {
    this.#lines = new BoundedText(limits)
  }

  /** The bytes of the output, before carriage returns are applied. */
  get totalBytes(): number {
    return this.#totalBytes
  }

  add(bytes: Buffer): void {
    this.#totalBytes += bytes.length
    const output = Buffer.concat([this.#line, bytes])
    const end = output.lastIndexOf('\n') + 1
    if (end > 0) this.#lines.add(renderLines(output.subarray(0, end)))
    this.#line = output.subarray(end)
    if (this.#line.length > maxLineBytes) this.#line = renderLines(this.#line)
    if (this.#line.length <= maxLineBytes) return
    this.#lines.add(this.#line)
    this.#line = Buffer.alloc(0)
  }

  text(): string {
    return this.#lines.text(renderLines(this.#line))
  }
}

function renderLines(bytes: Buffer): Buffer {
  if (!bytes.includes('\r')) return bytes
  return Buffer.from(bytes.toString('latin1').split('\n').map(renderLine).join('\n'), 'latin1')
}

const eraseLine = '\x1b[2K'
const eraseToEnd = /\x1b\[0?K/

function renderLine(line: string): string {
  let visible = ''
  for (const frame of line.split('\r')) {
    const parts = frame.split(eraseLine)
    const text = stripVTControlCharacters(parts.at(-1)!)
    const isErased = parts.length > 1 || eraseToEnd.test(frame)
    visible = isErased ? text : text + visible.slice(text.length)
  }
  return visible
}
