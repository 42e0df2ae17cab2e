import { printableLine } from '#lib/printable.ts'
import type { FileChange } from './tool-call.ts'

/** Unchanged lines that are shown around what changes. */
const contextLines = 3

/**
 * A change as the lines that go and come, in the way of a unified diff. What lies between the first and the last changed
 * line is shown whole, so that it costs no more time than reading it, whatever an agent makes of it.
 */
export function changeText({ path: name, before, after }: FileChange): string {
  // On one line, so that a name cannot look like lines that come.
  const path = printableLine(name)
  if (before === null) return [`+++ ${path} (new file)`, ...linesOf(after).map((line) => `+${line}`)].join('\n')
  const [old, now] = [linesOf(before), linesOf(after)]
  const most = Math.min(old.length, now.length)
  let same = 0
  while (same < most && old[same] === now[same]) same++
  let sameAtEnd = 0
  while (sameAtEnd < most - same && old[old.length - 1 - sameAtEnd] === now[now.length - 1 - sameAtEnd]) sameAtEnd++
  const from = Math.max(0, same - contextLines)
  const end = now.length - sameAtEnd
  return [
    `--- ${path}`,
    `+++ ${path}`,
    `@@ from line ${from + 1} @@`,
    ...now.slice(from, same).map((line) => ` ${line}`),
    ...old.slice(same, old.length - sameAtEnd).map((line) => `-${line}`),
    ...now.slice(same, end).map((line) => `+${line}`),
    ...now.slice(end, end + contextLines).map((line) => ` ${line}`),
  ].join('\n')
}

/** The end of a file without a line break differs from one with it. */
const linesOf = (text: string) => (text === '' ? [] : text.split('\n'))
