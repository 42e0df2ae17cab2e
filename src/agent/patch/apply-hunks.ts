import { truncateText } from '#platform/text/truncate.ts'
import type { Hunk } from './parse-patch.ts'
import { findNearestIndex, formatLines } from './similar-lines.ts'

/**
 * Applies all hunks. @returns the new text, and notes about lines that were taken from the file instead of the patch.
 * @throws Error with the reason for each hunk that does not fit. The message does not contain the file's name.
 */
export function applyHunks(text: string, hunks: Hunk[]): { text: string; notes: string[] } {
  const file = parseFile(text)
  const { lines } = file
  const failures: string[] = []
  const notes: string[] = []
  let from = 0
  for (const [index, givenHunk] of hunks.entries()) {
    const hunk = file.mark === '' ? givenHunk : withoutMarks(givenHunk)
    const found = findPosition(lines, hunk, from)
    const hunkName = `hunk ${index + 1} of ${hunks.length}`
    if (typeof found === 'string') {
      failures.push(`${hunkName}: ${found}`)
      continue
    }
    const { at, adjustedHunk = hunk, note } = found
    const { oldLines, newLines } = adjustedHunk
    if (note) notes.push(`${hunkName}: ${note}`)
    replaceLines(file, at, adjustedHunk)
    // A hunk can apply above `from`. Then `from` moves by the lines that the hunk adds or removes.
    from = Math.max(at + newLines.length, from + newLines.length - oldLines.length)
  }
  if (failures.length > 0) throw new Error(`is not as the patch has it: ${failures.join('\n')}`)
  return { text: formatFile(file), notes }
}

const byteOrderMark = '\ufeff'

/** A text file: `mark` is its byte order mark or empty; `lineEnds` has the end of each line. */
type FileText = { mark: string; lines: string[]; lineEnds: string[]; isLastLineEnded: boolean }

function parseFile(text: string): FileText {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
  const wholeLines = text.slice(mark.length).match(/[^\n]*\n|[^\n]+$/g) ?? []
  const lineEnds = wholeLines.map((line) => /\r?\n$/.exec(line)?.[0] ?? '')
  const lines = wholeLines.map((line, index) => line.slice(0, line.length - lineEnds[index]!.length))
  return { mark, lines, lineEnds, isLastLineEnded: lineEnds.at(-1) !== '' }
}

function formatFile({ mark, lines, lineEnds, isLastLineEnded }: FileText): string {
  const usualEnd = lineEnds.find((end) => end !== '') ?? '\n'
  const isEnded = (index: number) => isLastLineEnded || index < lines.length - 1
  return mark + lines.map((line, index) => line + (isEnded(index) ? lineEnds[index] || usualEnd : '')).join('')
}

/** Removes byte order marks, which read_file shows in the first line of a file. */
function withoutMarks(hunk: Hunk): Hunk {
  const removeMark = (line: string) => (line.startsWith(byteOrderMark) ? line.slice(1) : line)
  return { ...hunk, oldLines: hunk.oldLines.map(removeMark), newLines: hunk.newLines.map(removeMark) }
}

/**
 * Applies a hunk at a line. Context lines come from the file, so that their trailing spaces are preserved. New lines end as the
 * replaced or adjacent lines do.
 */
function replaceLines({ lines, lineEnds }: FileText, at: number, { oldLines, newLines }: Hunk): void {
  /** The number of lines of `oldLines` up to the last context line. */
  let passedCount = 0
  const resultLines: string[] = []
  const resultEnds: string[] = []
  for (const line of newLines) {
    const found = oldLines.indexOf(line, passedCount)
    if (found !== -1) passedCount = found + 1
    resultLines.push(found === -1 ? line : lines[at + found]!)
    const neighbour = found === -1 ? Math.max(0, Math.min(passedCount, oldLines.length - 1)) : found
    resultEnds.push(lineEnds[at + neighbour] ?? lineEnds[at - 1] ?? '')
  }
  lines.splice(at, oldLines.length, ...resultLines)
  lineEnds.splice(at, oldLines.length, ...resultEnds)
}

/** An error lists this many lines. The model needs only some to see that its lines are ambiguous. */
const maxListedPositions = 10

/** Where a hunk applies: `at` is a line index. `adjustedHunk` replaces the hunk, and `note` describes the difference. */
type HunkPosition = { at: number; adjustedHunk?: Hunk; note?: string }

/** @returns a text if the hunk does not apply: the reason for the model. */
function findPosition(lines: string[], hunk: Hunk, from: number): HunkPosition | string {
  const { anchor, oldLines } = hunk
  const start = anchor === undefined ? from : findLineAfter(lines, anchor, from)
  if (start === undefined) return findUniquePosition(lines, oldLines) ?? describeMissingAnchor(lines, anchor!, from)
  if (oldLines.length === 0) return { at: anchor === undefined ? lines.length : start }
  const lastPosition = lines.length - oldLines.length
  if (
    hunk.isAtEnd &&
    lastPosition >= start &&
    findPositions(lines, oldLines, lastPosition, matchesTrimmedEnd).length === 1
  )
    return { at: lastPosition }
  for (const isMatch of [matchesExactly, matchesTrimmedEnd]) {
    const positions = findPositions(lines, oldLines, start, isMatch)
    if (positions.length === 1 || (positions.length > 0 && anchor !== undefined)) return { at: positions[0]! }
    if (positions.length > 1)
      return `its lines stand at lines ${positions
        .slice(0, maxListedPositions)
        .map((at) => at + 1)
        .join(', ')}: give more lines around them, or name a line above after "@@"`
  }
  return (
    (start > 0 ? findUniquePosition(lines, oldLines) : undefined) ??
    findIgnoringIndentation(lines, hunk, start) ??
    findWithoutOuterLines(lines, hunk, start) ??
    describeNearest(lines, oldLines, start)
  )
}

/** Finds the lines anywhere in the file if they occur once: hunks can be out of order or name a wrong line. */
function findUniquePosition(lines: string[], oldLines: string[]): HunkPosition | undefined {
  const [at, ...others] = oldLines.some((line) => line.trim() !== '')
    ? findPositions(lines, oldLines, 0, matchesTrimmedEnd)
    : []
  return at === undefined || others.length > 0 ? undefined : { at }
}

function describeMissingAnchor(lines: string[], anchor: string, from: number): string {
  const nearestMatch = findNearestIndex(lines, [anchor], from)
  const reason = `no line from ${from + 1} on is ${quoteLine(anchor)}, which its "@@" names`
  return nearestMatch === -1
    ? reason
    : `${reason}. The file has:\n${formatContext(lines, nearestMatch, 1)}\nName one of these lines`
}

const matchesExactly = (one: string, other: string) => one === other
const matchesTrimmedEnd = (one: string, other: string) => one.trimEnd() === other.trimEnd()
const matchesTrimmed = (one: string, other: string) => one.trim() === other.trim()

function findPositions(lines: string[], oldLines: string[], from: number, isMatch: typeof matchesExactly): number[] {
  const positions: number[] = []
  for (let at = from; at + oldLines.length <= lines.length; at++)
    if (oldLines.every((line, index) => isMatch(line, lines[at + index]!))) positions.push(at)
  return positions
}

const getIndentation = (line: string) => line.slice(0, line.length - line.trimStart().length)

/** Finds lines that differ only in indentation. The change gets the file's indentation if that is unambiguous. */
function findIgnoringIndentation(lines: string[], hunk: Hunk, from: number): HunkPosition | undefined {
  const { oldLines, newLines } = hunk
  const [at, ...others] = findPositions(lines, oldLines, from, matchesTrimmed)
  if (at === undefined || others.length > 0) return undefined
  const indentations = new Map<string, string>()
  for (const [index, line] of oldLines.entries()) {
    if (line.trim() === '') continue
    const fileIndentation = getIndentation(lines[at + index]!)
    if ((indentations.get(getIndentation(line)) ?? fileIndentation) !== fileIndentation) return undefined
    indentations.set(getIndentation(line), fileIndentation)
  }
  if (newLines.some((line) => line.trim() !== '' && !indentations.has(getIndentation(line)))) return undefined
  const reindent = (line: string) =>
    line.trim() === '' ? line : `${indentations.get(getIndentation(line))}${line.trimStart()}`
  return {
    at,
    adjustedHunk: { ...hunk, oldLines: oldLines.map(reindent), newLines: newLines.map(reindent) },
    note: 'indented as the file is',
  }
}

const maxOuterLines = 2

/** Ignores one or two different context lines if the removed lines occur exactly once. */
function findWithoutOuterLines(lines: string[], hunk: Hunk, from: number): HunkPosition | undefined {
  const { oldLines, newLines } = hunk
  const isUnchanged = (line: string | undefined, other: string | undefined) => line !== undefined && line === other
  let contextBefore = 0
  let contextAfter = 0
  while (contextBefore < maxOuterLines && isUnchanged(oldLines[contextBefore], newLines[contextBefore])) contextBefore++
  while (contextAfter < maxOuterLines && isUnchanged(oldLines.at(-1 - contextAfter), newLines.at(-1 - contextAfter)))
    contextAfter++
  for (let trimCount = 1; trimCount <= maxOuterLines; trimCount++) {
    const trimmedBefore = Math.min(trimCount, contextBefore)
    const trimmedAfter = Math.min(trimCount, contextAfter)
    const inner = oldLines.slice(trimmedBefore, oldLines.length - trimmedAfter)
    if (!inner.some((line) => line.trim() !== '' && !newLines.includes(line))) return undefined
    const [at, ...others] = findPositions(lines, inner, from, matchesTrimmedEnd)
    if (at === undefined) continue
    if (others.length > 0 || at < trimmedBefore) return undefined
    return {
      at,
      adjustedHunk: {
        ...hunk,
        oldLines: inner,
        newLines: newLines.slice(trimmedBefore, newLines.length - trimmedAfter),
      },
      note: `lines around the change differ in the file:\n${formatContext(lines, at - trimmedBefore, oldLines.length)}`,
    }
  }
  return undefined
}

/** Returns the index after the line that is the anchor, or else contains it. */
function findLineAfter(lines: string[], anchor: string, from: number): number | undefined {
  const equal = lines.findIndex((line, index) => index >= from && line.trim() === anchor)
  const found = equal === -1 ? lines.findIndex((line, index) => index >= from && line.includes(anchor)) : equal
  return found === -1 ? undefined : found + 1
}

/** Describes the most similar lines of the file, from which the model can make the next patch. */
function describeNearest(lines: string[], oldLines: string[], from: number): string {
  const at = findNearestIndex(lines, oldLines, from)
  const startText = from > 0 ? ` from line ${from + 1} on` : ''
  if (at === -1)
    return `its lines, the first ${quoteLine(oldLines[0]!)}, are not in the file${startText}: read it again`
  const index = oldLines.findIndex((line, offset) => line.trimEnd() !== lines[at + offset]?.trimEnd())
  const fileLines = lines[at + index]
  const found = fileLines === undefined ? 'after the end of the file' : quoteLine(fileLines)
  return `line ${at + index + 1} is ${found}, the patch has ${quoteLine(oldLines[index]!)}. The file has:\n${formatContext(lines, at, oldLines.length)}\nMake the hunk of these lines`
}

/** The number of lines of the file that an error shows before and after the lines of a hunk. */
const contextLength = 2
const formatContext = (lines: string[], at: number, count: number) =>
  formatLines(lines, at - contextLength, count + 2 * contextLength)

const maxQuotedLength = 120
const quoteLine = (line: string) =>
  JSON.stringify(line.length > maxQuotedLength ? `${truncateText(line, maxQuotedLength)}…` : line)
