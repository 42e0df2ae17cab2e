import { stripVTControlCharacters } from 'node:util'
import { type BoundedText, createBoundedText } from './bounded-text.ts'

/** A longer line is passed on without waiting for its end, which bounds memory. */
const maxLineBytes = 64 * 1024

/**
 * Collects the output of a command as a terminal shows it at the end: text that follows a carriage return replaces the text
 * of its line. Only the lines that remain count against `limits`.
 */
export function createTerminalText(limits: { head: number; tail: number }): BoundedText {
  const lines = createBoundedText(limits)
  let line: Buffer = Buffer.alloc(0)
  let total = 0
  return {
    add(bytes) {
      total += bytes.length
      const output = Buffer.concat([line, bytes])
      const end = output.lastIndexOf('\n') + 1
      if (end > 0) lines.add(renderLines(output.subarray(0, end)))
      line = output.subarray(end)
      if (line.length > maxLineBytes) line = renderLines(line)
      if (line.length <= maxLineBytes) return
      lines.add(line)
      line = Buffer.alloc(0)
    },
    total: () => total,
    text: () => lines.text(renderLines(line)),
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
