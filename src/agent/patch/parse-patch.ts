import { toSections } from './unified-diff.ts'

/** A change within a file: `newLines` replace `oldLines`. */
export type Hunk = {
  /** A line somewhere above the change. */
  anchor: string | undefined
  oldLines: string[]
  newLines: string[]
  /** Whether the patch says that the last line is the end of the file. */
  isAtEnd: boolean
}

export type FilePatch =
  /** `isExecutable`: undefined if the patch does not set it. */
  | { kind: 'add'; path: string; text: string; isExecutable: boolean | undefined }
  | { kind: 'delete'; path: string }
  /** `to`: the new path of a file that is also moved. */
  | { kind: 'update'; path: string; to: string | undefined; hunks: Hunk[]; isExecutable: boolean | undefined }

const fileHeading = /^\*\*\* (Add|Delete|Update) File: (.+)$/
const moveHeading = /^\*\*\* Move to: (.+)$/
/** The mode of a git diff. */
const modeHeading = /^\*\*\* Mode: (.+)$/
/** Marks a last line without a line end in a unified diff. */
const noLineEndMarker = '\\ No newline'
/** Line numbers of a unified diff. They are ignored, because models count badly. */
const lineNumbers = /^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?/

/**
 * Parses a patch in the format of OpenAI's `apply_patch`, which models know best: sections for files, with hunks that are found
 * by their lines. A unified diff is converted to it first.
 * @throws Error for the model that names the wrong line.
 */
export function parsePatch(patch: string): FilePatch[] {
  const lines = withoutWrapping(toSections(patch)).replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n')
  const files: FilePatch[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!
    const found = fileHeading.exec(line.trimEnd())
    if (!found) {
      if (!/^\*\*\* (Begin|End) Patch\s*$/.test(line) && line.trim() !== '') throw lineError(at, line)
      at++
      continue
    }
    const end = nextHeading(lines, at + 1)
    files.push(parseSection(found[1]!, found[2]!.trim(), lines.slice(at + 1, end), at + 1))
    at = end
  }
  if (files.length === 0) throw new Error('The patch names no file. A section begins with "*** Update File: path".')
  for (const [index, { path }] of files.entries())
    if (files.findIndex((file) => file.path === path) !== index)
      throw new Error(`The patch has two sections for ${path}: put all its hunks into one.`)
  return files
}

/** Removes what models put around a patch: a fence, or the shell command that applies it. */
const withoutWrapping = (patch: string) =>
  /^\*\*\* Begin Patch\s*$.*^\*\*\* End Patch[^\S\n]*$/ms.exec(patch)?.[0] ?? patch

function nextHeading(lines: string[], from: number): number {
  const next = lines.findIndex(
    (line, index) => index >= from && (fileHeading.test(line) || /^\*\*\* End Patch\s*$/.test(line)),
  )
  return next === -1 ? lines.length : next
}

function parseSection(kind: string, path: string, lines: string[], from: number): FilePatch {
  if (kind === 'Delete') {
    const extra = lines.findIndex((line) => line.trim() !== '')
    if (extra !== -1) throw lineError(from + extra, lines[extra]!)
    return { kind: 'delete', path }
  }
  const to = kind === 'Add' ? undefined : moveHeading.exec(lines[0] ?? '')?.[1]?.trim()
  const modeAt = to === undefined ? 0 : 1
  const mode = modeHeading.exec(lines[modeAt] ?? '')?.[1]?.trim()
  const isExecutable = mode === undefined ? undefined : parseMode(mode, path)
  const start = mode === undefined ? modeAt : modeAt + 1
  const rest = lines.slice(start)
  if (kind === 'Add') return { kind: 'add', path, text: parseAddedText(rest, from + start), isExecutable }
  const hunks = parseHunks(rest, from + start)
  if (hunks.length === 0 && start === 0) throw new Error(`The patch says nothing of what to change in ${path}.`)
  return { kind: 'update', path, to, hunks, isExecutable }
}

function parseAddedText(lines: string[], from: number): string {
  const hasNoLineEnd = lines.at(-1)?.startsWith(noLineEndMarker) === true
  const added = (hasNoLineEnd ? lines.slice(0, -1) : lines).map((line, index) => {
    if (line.startsWith('+')) return `${line.slice(1)}\n`
    throw lineError(from + index, line, 'each line of a new file begins with "+"')
  })
  const text = added.join('')
  return hasNoLineEnd ? text.slice(0, -1) : text
}

/** Returns whether a mode of git is that of an executable file. @throws Error for a mode of a link or submodule. */
function parseMode(mode: string, path: string): boolean {
  const permissions = /^100(\d{3})$/.exec(mode)?.[1]
  if (permissions !== undefined) return (Number.parseInt(permissions, 8) & 0o100) !== 0
  throw new Error(
    `The patch gives ${path} the mode ${mode}, but only 100644 and 100755 are supported. Nothing was changed.`,
  )
}

function parseHunks(lines: string[], from: number): Hunk[] {
  const hunks: Hunk[] = []
  let previous = ''
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('@@')) {
      if (previous === '') removeSeparator(hunks.at(-1))
      const anchor = line.slice(2).trim().replace(lineNumbers, '').trim()
      hunks.push(createHunk(anchor || undefined))
    } else {
      if (hunks.length === 0) hunks.push(createHunk(undefined))
      if (!addLine(hunks.at(-1)!, line))
        throw lineError(from + index, line, 'a line of a hunk begins with " ", "-" or "+"')
    }
    previous = line
  }
  if (previous === '') removeSeparator(hunks.at(-1))
  return hunks.filter(({ oldLines, newLines }) => oldLines.length > 0 || newLines.length > 0)
}

const createHunk = (anchor: string | undefined): Hunk => ({ anchor, oldLines: [], newLines: [], isAtEnd: false })

/** @returns whether the line can belong to a hunk. */
function addLine(hunk: Hunk, line: string): boolean {
  const { oldLines, newLines } = hunk
  const rest = line.slice(1)
  // The marker stands for a last line without a line end. The file's own line end is preserved.
  if (/^\*\*\* End of File\s*$/.test(line) || line.startsWith(noLineEndMarker)) hunk.isAtEnd = true
  else if (line.startsWith('-')) oldLines.push(rest)
  else if (line.startsWith('+')) newLines.push(rest)
  // Models omit the leading space of an empty line.
  else if (line.startsWith(' ') || line === '') for (const side of [oldLines, newLines]) side.push(rest)
  else return false
  return true
}

/** Removes the empty line at the end of a hunk, which only separates it from the next one. */
function removeSeparator(hunk: Hunk | undefined): void {
  if (hunk && hunk.oldLines.length > 1) for (const side of [hunk.oldLines, hunk.newLines]) side.pop()
}

const maxQuotedLength = 120

function lineError(
  index: number,
  line: string,
  rule = 'a section begins with "*** Add File: ", "*** Update File: " or "*** Delete File: "',
) {
  return new Error(
    `Line ${index + 1} of the patch is ${JSON.stringify(line.slice(0, maxQuotedLength))}, but ${rule}. Nothing was changed.`,
  )
}
