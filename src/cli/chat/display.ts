import { styleText } from 'node:util'
import { printable } from '#platform/text/printable.ts'
import type { Screen } from '../kit/terminal.ts'
import { createActivityFormatter } from './activity-formatter.ts'
import type { ChatOutput } from './conversation.ts'
import { createProgressLine } from './progress-line.ts'
import { diffLine, type Style } from './style.ts'

/**
 * Prints a conversation, with colours on a terminal. Removes control characters, because all text can come from an agent.
 */
export type Display = {
  line: (text: string) => void
  /** A question of the intern, and the operation that it is about. */
  question: (text: string, details?: string) => void
  /** Lines of a diff, coloured. */
  diff: (lines: readonly string[]) => void
  output: (output: Exclude<ChatOutput, { type: 'question' }>) => void
  error: (text: string) => void
  stopped: () => void
  /** A line that was typed while the intern was working. */
  queued: (text: string) => void
  /** Displays a progress line while the intern prints nothing. @returns a function that stops it */
  working: () => () => void
}

export function createDisplay(output: Screen['output']): Display {
  const applyStyle = (style: Style, text: string) => styleText(style, text, { stream: output })
  const progress = createProgressLine(output, (text) => applyStyle('dim', text))
  let wasReasoning = false
  let isAtLineStart = true
  const write = (text: string) => {
    if (text === '') return
    progress.beforeOutput()
    isAtLineStart = text.endsWith('\n')
    output.write(text)
  }
  const writeLine = (text: string) => write(`${isAtLineStart ? '' : '\n'}${text}\n`)
  const formatActivity = createActivityFormatter(applyStyle)
  return {
    line: (text) => write(`${printable(text)}\n`),
    question: (text, details) =>
      writeLine(
        `\n${applyStyle('yellow', `? ${printable(text)}`)}${details === undefined ? '' : `  ${printable(details)}`}`,
      ),
    diff: (lines) => write(lines.map((line) => `${diffLine(applyStyle, line)}\n`).join('')),
    output(item) {
      if (item.type === 'activity') {
        const lines = formatActivity(item.activity)
        if (lines) writeLine(lines)
        return
      }
      const text = printable(item.text)
      if (item.type === 'text') write(wasReasoning && !isAtLineStart ? `\n\n${text}` : text)
      else if (item.type === 'reasoning') write(applyStyle('dim', text))
      else writeLine(applyStyle('red', text))
      wasReasoning = item.type === 'reasoning'
    },
    error: (text) => writeLine(applyStyle('red', printable(text))),
    stopped: () => writeLine(applyStyle('dim', '(stopped)')),
    queued: (text) => writeLine(applyStyle('dim', `(next: ${printable(text)})`)),
    working: () => progress.start(() => isAtLineStart),
  }
}
