import { styleText } from 'node:util'
import { printable } from '#platform/text/printable.ts'
import { activityCard } from './activity-card.ts'
import type { ChatOutput } from './conversation.ts'
import type { Screen } from './screen.ts'
import { signOfWork } from './sign-of-work.ts'
import { diffLine, type Style } from './style.ts'

/**
 * Prints a conversation for a person, with colours on a terminal. All of it may come from an agent: control characters
 * never reach the terminal.
 */
export type Show = {
  line: (text: string) => void
  /** What the intern asks, and what it is about. */
  question: (text: string, about?: string) => void
  /** Lines that go and come, coloured. */
  diff: (lines: readonly string[]) => void
  said: (said: Exclude<ChatOutput, { type: 'asked' }>) => void
  error: (text: string) => void
  stopped: () => void
  /** A line that was typed ahead. */
  queued: (text: string) => void
  /** Shows that the intern is at work where it says nothing for a while. @returns what ends it. */
  working: () => () => void
}

export function showOn(output: Screen['output']): Show {
  const styled = (style: Style, text: string) => styleText(style, text, { stream: output })
  const sign = signOfWork(output, (text) => styled('dim', text))
  let thinking = false
  let startsLine = true
  const write = (text: string) => {
    if (text === '') return
    sign.clear()
    startsLine = text.endsWith('\n')
    output.write(text)
  }
  const ownLine = (text: string) => write(`${startsLine ? '' : '\n'}${text}\n`)
  const card = activityCard(styled)
  return {
    line: (text) => write(`${printable(text)}\n`),
    question: (text, about) =>
      ownLine(`\n${styled('yellow', `? ${printable(text)}`)}${about === undefined ? '' : `  ${printable(about)}`}`),
    diff: (lines) => write(lines.map((line) => `${diffLine(styled, line)}\n`).join('')),
    said(said) {
      if (said.type === 'activity') {
        const lines = card(said.activity)
        if (lines) ownLine(lines)
        return
      }
      const text = printable(said.text)
      if (said.type === 'text') write(thinking && !startsLine ? `\n\n${text}` : text)
      else if (said.type === 'reasoning') write(styled('dim', text))
      else ownLine(styled('red', text))
      thinking = said.type === 'reasoning'
    },
    error: (text) => ownLine(styled('red', printable(text))),
    stopped: () => ownLine(styled('dim', '(stopped)')),
    queued: (text) => ownLine(styled('dim', `(next: ${printable(text)})`)),
    working: () => sign.begin(() => startsLine),
  }
}
