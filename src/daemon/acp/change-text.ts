import { structuredPatch } from 'diff/lib/patch/create.js'
import { printableLine } from '#platform/text/printable.ts'
import type { FileChange } from './tool-call.ts'

/** Unchanged lines that are shown around what changes. */
const contextLines = 3
/** Lines that go and come. The time to find the fewest grows with its square, and both texts are the agent's: 0.1 s here. */
const maxEditLength = 400

type Hunk = { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] }

/**
 * A change as a unified diff. Of a file that is not there yet, all lines come. A line of the file has a sign before it, so
 * none can look like the head of a hunk, nor like the mark for a last line without a line break. That is there where the
 * change adds or takes the line break: many agents tell a piece of the file, whose end is not the file's.
 */
export function changeText({ path: name, before, after }: FileChange): string {
  // On one line, so that a name cannot look like lines that come.
  const path = printableLine(name)
  if (before === null) return [`+++ ${path} (new file)`, ...marked('+', linesOf(ended(after)))].join('\n')
  if (before === after) return [`--- ${path}`, `+++ ${path} (unchanged)`].join('\n')
  const hunks = isEnded(before) || isEnded(after) ? hunksOf(before, after) : hunksOf(ended(before), ended(after))
  return [`--- ${path}`, `+++ ${path}`, ...hunks.flatMap(hunkText)].join('\n')
}

const isEnded = (text: string) => text.endsWith('\n')
const ended = (text: string) => (text === '' || isEnded(text) ? text : `${text}\n`)

function hunksOf(before: string, after: string): Hunk[] {
  const options = { context: contextLines, maxEditLength }
  return structuredPatch('', '', before, after, '', '', options)?.hunks ?? [wholeHunk(linesOf(before), linesOf(after))]
}

/** Where too much changes to look for the fewest lines: all from the first to the last changed one. */
function wholeHunk(old: string[], now: string[]): Hunk {
  const most = Math.min(old.length, now.length)
  let same = 0
  while (same < most && old[same] === now[same]) same++
  let sameAtEnd = 0
  while (sameAtEnd < most - same && old.at(-1 - sameAtEnd) === now.at(-1 - sameAtEnd)) sameAtEnd++
  const from = Math.max(0, same - contextLines)
  const [oldEnd, nowEnd] = [old.length - sameAtEnd, now.length - sameAtEnd]
  const after = now.slice(nowEnd, nowEnd + contextLines)
  return {
    oldStart: from + 1,
    oldLines: oldEnd - from + after.length,
    newStart: from + 1,
    newLines: nowEnd - from + after.length,
    lines: [
      ...marked(' ', now.slice(from, same)),
      ...marked('-', old.slice(same, oldEnd)),
      ...marked('+', now.slice(same, nowEnd)),
      ...marked(' ', after),
    ],
  }
}

function hunkText({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string[] {
  return [`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`, ...lines]
}

/** The format counts from the line before where there are none. */
const range = (start: number, lines: number) => `${lines === 0 ? start - 1 : start},${lines}`

const marked = (sign: string, lines: string[]) =>
  lines.flatMap((line) =>
    line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'],
  )

/** Each with its line break, which the last one may lack. */
const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
