import { structuredPatch } from 'diff/lib/patch/create.js'
import { printableLine } from '#platform/text/printable.ts'
import type { FileChange } from './tool-call.ts'

/** The number of unchanged lines that are shown before and after each change. */
const contextLines = 3
/** The most removed and added lines of a diff. Its time grows with their square; at this limit, it takes 0.1 s. */
const maxEditLength = 400

type Hunk = { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] }

/**
 * Formats a change as a unified diff. All lines of a new file are added lines. Every line of the file has a sign before
 * it, so that it cannot be mistaken for the header of a hunk. The mark for a missing line break at the end appears only
 * if the change adds or removes that line break. Many agents send only a part of the file, whose end says nothing.
 */
export function formatChange({ path: name, before, after }: FileChange): string {
  // On one line, so that a name cannot be mistaken for added lines.
  const path = printableLine(name)
  if (before === null) return [`+++ ${path} (new file)`, ...addSigns('+', splitLines(withLineEnd(after)))].join('\n')
  if (before === after) return [`--- ${path}`, `+++ ${path} (unchanged)`].join('\n')
  const hunks =
    endsLine(before) || endsLine(after)
      ? createHunks(before, after)
      : createHunks(withLineEnd(before), withLineEnd(after))
  return [`--- ${path}`, `+++ ${path}`, ...hunks.flatMap(formatHunk)].join('\n')
}

const endsLine = (text: string) => text.endsWith('\n')
const withLineEnd = (text: string) => (text === '' || endsLine(text) ? text : `${text}\n`)

function createHunks(before: string, after: string): Hunk[] {
  const options = { context: contextLines, maxEditLength }
  return (
    structuredPatch('', '', before, after, '', '', options)?.hunks ?? [
      createWholeHunk(splitLines(before), splitLines(after)),
    ]
  )
}

/** One hunk from the first to the last changed line, for a change that is too large for a diff. */
function createWholeHunk(old: string[], current: string[]): Hunk {
  const shorterLength = Math.min(old.length, current.length)
  let commonPrefix = 0
  while (commonPrefix < shorterLength && old[commonPrefix] === current[commonPrefix]) commonPrefix++
  let commonSuffix = 0
  while (commonSuffix < shorterLength - commonPrefix && old.at(-1 - commonSuffix) === current.at(-1 - commonSuffix))
    commonSuffix++
  const from = Math.max(0, commonPrefix - contextLines)
  const oldEnd = old.length - commonSuffix
  const currentEnd = current.length - commonSuffix
  const after = current.slice(currentEnd, currentEnd + contextLines)
  return {
    oldStart: from + 1,
    oldLines: oldEnd - from + after.length,
    newStart: from + 1,
    newLines: currentEnd - from + after.length,
    lines: [
      ...addSigns(' ', current.slice(from, commonPrefix)),
      ...addSigns('-', old.slice(commonPrefix, oldEnd)),
      ...addSigns('+', current.slice(commonPrefix, currentEnd)),
      ...addSigns(' ', after),
    ],
  }
}

function formatHunk({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string[] {
  return [`@@ -${formatRange(oldStart, oldLines)} +${formatRange(newStart, newLines)} @@`, ...lines]
}

/** A range without lines starts at the line before. */
const formatRange = (start: number, lines: number) => `${lines === 0 ? start - 1 : start},${lines}`

const addSigns = (sign: string, lines: string[]) =>
  lines.flatMap((line) =>
    line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'],
  )

/** Lines with their line breaks. The last line can have none. */
const splitLines = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
