import { findMiddle } from '#platform/text/truncate.ts'
import { computeEndLength, maxLengths } from './limits.ts'

/** The output of a terminal. If it is long, `text` lacks `omitted` characters between its start and its end. */
export type TerminalOutput = { text: string; omitted: number }

export const emptyOutput: TerminalOutput = { text: '', omitted: 0 }

/** Longer than a stored output, so that the stored one is cut too, and its note is where the characters are missing. */
const maxBufferLength = 2 * maxLengths.output

export function appendOutput({ text, omitted }: TerminalOutput, piece: string): TerminalOutput {
  const longerText = text + piece
  const middle = findMiddle(longerText, maxBufferLength, computeEndLength(maxBufferLength))
  if (!middle) return { text: longerText, omitted }
  const [from, to] = middle
  return { text: longerText.slice(0, from) + longerText.slice(to), omitted: omitted + to - from }
}
