import { withFilePath } from '#platform/files/file-error.ts'
import { z } from '#platform/json/schema.ts'
import { findNearestIndex, formatLines } from '../../patch/similar-lines.ts'
import { defineTool } from '../tool.ts'
import { withSuggestions } from './similar-files.ts'
import { decodeExactText } from './text.ts'
import { readBytes, writeText } from './workspace.ts'

const maxBytes = 10 * 1024 * 1024
/** An error lists this many matches. */
const maxListedLines = 20

export const editFile = defineTool({
  name: 'edit_file',
  description: [
    'Replace old_text with new_text in a text file. old_text must match the file exactly, with all spaces and line ends,',
    'but without the line numbers that read_file shows. It must occur exactly once: include enough lines around the',
    'change to make it unique, or set replace_all to replace every occurrence.',
  ].join(' '),
  kind: 'edit',
  runsAlone: true,
  input: z.object({
    path: z.string().min(1).describe('The file, relative to the workspace.'),
    old_text: z.string().min(1).describe('The text to replace, exactly as it is in the file.'),
    new_text: z.string().describe('The text that replaces old_text.'),
    replace_all: z.boolean().optional().describe('Replace every occurrence of old_text.'),
  }),
  title: ({ path }) => `Edit ${path}`,
  async run({ path, old_text, new_text, replace_all = false }, { workspace }) {
    const { bytes, size } = await withSuggestions(workspace, path, () => readBytes(workspace, path, maxBytes))
    const { text, lines } = await withFilePath(path, async () => {
      if (size > maxBytes) throw new Error(`has ${size} bytes, too many to edit`)
      return replaceText(decodeExactText(bytes), old_text, new_text, replace_all)
    })
    await writeText(workspace, path, text)
    return lines.length === 1
      ? `Changed ${path} at line ${lines[0]}.`
      : `Changed ${path} in ${lines.length} places (lines ${lines.slice(0, maxListedLines).join(', ')}).`
  },
})

function replaceText(text: string, old_text: string, new_text: string, all: boolean) {
  const [oldText, newText] = removeLineNumbers(text, old_text, new_text)
  if (oldText === newText) throw new Error('stays as it is: old_text and new_text are the same')
  const literalMatches = exactMatches(text, oldText)
  const matches = all || !literalMatches.length ? matchesByLine(text, oldText) : literalMatches
  if (!matches.length) throw new Error(notFoundMessage(text, oldText))
  const lines = lineNumbers(text, matches)
  if (matches.length > 1 && !all) {
    const lineList = lines.slice(0, maxListedLines).join(', ')
    throw new Error(
      `has old_text ${matches.length} times (lines ${lineList}): give more lines around it, or set replace_all`,
    )
  }
  const result = replaceMatches(text, matches, oldText, newText)
  if (result === text) throw new Error('stays as it is: old_text and new_text differ only in line ends')
  return { text: result, lines }
}

/** A range of the file's text. */
type Match = { start: number; end: number }

/** Finds exact matches, except those that start within CRLF: a replacement would leave the CR. */
function exactMatches(text: string, searched: string): Match[] {
  const matches: Match[] = []
  const startsWithLf = searched.startsWith('\n')
  for (let at = text.indexOf(searched); at !== -1; at = text.indexOf(searched, at + searched.length))
    if (!(startsWithLf && text[at - 1] === '\r')) matches.push({ start: at, end: at + searched.length })
  return matches
}

/** Finds matches line by line, so that LF and CRLF are equal. */
function matchesByLine(text: string, searched: string): Match[] {
  // The positions of the removed CRs in the text without them.
  const removedReturns = [...text.matchAll(/\r\n/g)].map(({ index }, count) => index - count)
  let count = 0
  const positionInFile = (at: number) => {
    while (count < removedReturns.length && removedReturns[count]! < at) count++
    return at + count
  }
  return exactMatches(toLf(text), toLf(searched)).map(({ start, end }) => ({
    start: positionInFile(start),
    end: positionInFile(end),
  }))
}

const toLf = (text: string) => text.replaceAll('\r\n', '\n')

function replaceMatches(text: string, matches: Match[], oldText: string, newText: string): string {
  const parts: string[] = []
  let from = 0
  for (const match of matches) {
    const isExact = text.slice(match.start, match.end) === oldText
    // CRLF in the arguments of an exact match is intended: it may change the line ends.
    const isLiteral = isExact && (oldText.includes('\r\n') || newText.includes('\r\n'))
    parts.push(text.slice(from, match.start), isLiteral ? newText : withLineEndsOf(text, match, newText))
    from = match.end
  }
  return parts.join('') + text.slice(from)
}

/** Gives the new lines the line ends of the replaced lines, or of the adjacent lines. */
function withLineEndsOf(text: string, { start, end }: Match, newText: string): string {
  const lineBreaks = text.slice(start, end).match(/\r?\n/g)
  const next = text.slice(end).match(/\r?\n/)
  const previous = text.slice(0, start).match(/\r?\n(?=[^\n]*$)/)
  const lineEnds = lineBreaks ?? next ?? previous ?? ['\n']
  let line = 0
  return newText.replace(/\r?\n/g, () => lineEnds[Math.min(line++, lineEnds.length - 1)]!)
}

function lineNumbers(text: string, matches: Match[]): number[] {
  let line = 1
  let from = 0
  return matches.map(({ start }) => {
    line += text.slice(from, start).split('\n').length - 1
    from = start
    return line
  })
}

/** Removes the line numbers of read_file, which models copy although they are not part of the file. */
function removeLineNumbers(text: string, oldText: string, newText: string): [string, string] {
  const lines = oldText.replace(/\n$/, '').split('\n')
  if (text.includes(oldText) || !lines.every((line) => lineNumber.test(line))) return [oldText, newText]
  const removeNumbers = (part: string) => part.replace(new RegExp(lineNumber, 'gm'), '')
  return [removeNumbers(oldText), removeNumbers(newText)]
}

const lineNumber = /^ *\d+\t/

/** The number of lines that an error shows before and after the most similar lines. */
const contextLength = 2

/** Returns an error message with the most similar text, from which the model can make the next edit. */
function notFoundMessage(text: string, searched: string): string {
  if (toLf(text).normalize('NFC').includes(toLf(searched).normalize('NFC')))
    return 'contains old_text only in another Unicode composition (such as é as one code point or as two): take old_text from the output of read_file, or choose lines without such characters'
  const lines = text.split(/\r?\n/)
  const oldLines = searched.replace(/^\n+|\n+$/g, '').split(/\r?\n/)
  const at = findNearestIndex(lines, oldLines)
  if (at === -1) return 'does not contain old_text, or anything like it: read the file again'
  return `does not contain old_text exactly. The most similar lines:\n${formatLines(lines, at - contextLength, oldLines.length + 2 * contextLength)}\nTake old_text from these lines, without their numbers`
}
