import { styleText } from 'node:util'
import type { Said } from './conversation.ts'
import type { Screen } from './keyboard.ts'

/** What a person sees of a conversation; in colours where it is shown on a terminal. */
export type Show = {
  line: (text: string) => void
  question: (text: string, detail?: string) => void
  said: (said: Exclude<Said, { type: 'asked' }>) => void
  error: (text: string) => void
  stopped: () => void
}

export function showOn(output: Screen['output']): Show {
  const styled = (style: 'dim' | 'red' | 'yellow', text: string) => styleText(style, text, { stream: output })
  const write = (text: string) => void output.write(text)
  let thinking = false
  return {
    line: (text) => write(`${text}\n`),
    question: (text, detail) => write(`\n${styled('yellow', `? ${text}`)}${detail ? `  ${detail}` : ''}\n`),
    said({ type, text }) {
      if (type === 'text') write(thinking ? `\n\n${text}` : text)
      else write(type === 'reasoning' ? styled('dim', text) : `\n${styled('red', text)}`)
      thinking = type === 'reasoning'
    },
    error: (text) => write(`\n${styled('red', text)}`),
    stopped: () => write(`\n${styled('dim', '(stopped)')}`),
  }
}
