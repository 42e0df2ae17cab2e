import { styleText } from 'node:util'
import { printable, printableLine } from '#lib/printable.ts'
import type { ChatOutput } from './conversation.ts'
import type { Screen } from './keyboard.ts'

/** More than this takes some reading: a part of it may have left the screen. */
const longDetail = 1000

/**
 * Prints a conversation for a person, with colours on a terminal. All of it may come from an agent: control characters
 * never reach the terminal.
 */
export type Show = {
  line: (text: string) => void
  question: (text: string, detail?: string) => void
  said: (said: Exclude<ChatOutput, { type: 'asked' | 'activity' }>) => void
  error: (text: string) => void
  stopped: () => void
}

export function showOn(output: Screen['output']): Show {
  const styled = (style: 'dim' | 'red' | 'yellow', text: string) => styleText(style, text, { stream: output })
  const write = (text: string) => void output.write(text)
  let thinking = false
  return {
    line: (text) => write(`${printable(text)}\n`),
    question: (text, detail) => write(`\n${styled('yellow', `? ${printable(text)}`)}${detail ? about(detail) : ''}\n`),
    said({ type, text: told }) {
      const text = printable(told)
      if (type === 'text') write(thinking ? `\n\n${text}` : text)
      else write(type === 'reasoning' ? styled('dim', text) : `\n${styled('red', text)}`)
      thinking = type === 'reasoning'
    },
    error: (text) => write(`\n${styled('red', printable(text))}`),
    stopped: () => write(`\n${styled('dim', '(stopped)')}`),
  }
}

function about(detail: string): string {
  const told = printableLine(detail)
  return `  ${told}${told.length > longDetail ? `\n  (These are ${told.length} characters: read all of them.)` : ''}`
}
