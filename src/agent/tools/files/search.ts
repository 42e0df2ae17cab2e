import { TimeSlices } from '#platform/async/time-slices.ts'
import { z } from '#platform/json/schema.ts'
import { printableLine } from '#platform/text/printable.ts'
import { defineTool, type ToolContext } from '../tool.ts'
import { compileSearchPattern } from './search-pattern.ts'
import { withSuggestions } from './similar-files.ts'
import { matchesPath, openWalk, type WalkEntry } from './walk.ts'

const limits = { matches: 200, fileBytes: 2 * 1024 * 1024, line: 300, excludedPaths: 5, truncatedPaths: 10, depth: 60 }
/** The agent serves one client, so a search delays only the messages of that client. */
const sliceMs = 25

export const search = defineTool({
  name: 'search',
  description: [
    'Search the text files of the workspace for a regular expression (RE2: no look-around, no back-references), line by',
    'line. Returns matches as path:line: text. Hidden files, binary files and files that .gitignore names are skipped, as',
    'by ripgrep.',
  ].join(' '),
  kind: 'search',
  runsAlone: false,
  input: z.object({
    pattern: z.string().min(1).describe('The regular expression.'),
    path: z.string().optional().describe('The folder or file to search. Defaults to the workspace.'),
    glob: z.string().optional().describe('Search only files whose path matches this glob, such as src/**/*.ts.'),
    ignore_case: z.boolean().optional(),
    include_ignored: z.boolean().optional().describe('Also search hidden and ignored files.'),
  }),
  paths: ({ path = '.' }) => [path],
  title: ({ pattern }) => `Search for ${pattern}`,
  run: (input, context) => withSuggestions(context.workspace, input.path ?? '.', () => searchFiles(input, context)),
})

type Input = {
  pattern: string
  path?: string | undefined
  glob?: string | undefined
  ignore_case?: boolean | undefined
  include_ignored?: boolean | undefined
}

async function searchFiles(input: Input, { workspace, signal }: ToolContext): Promise<string> {
  const { pattern, path = '.', glob, ignore_case = false, include_ignored: includeAll = false } = input
  const { canMatch, matches } = await compileSearchPattern(pattern, ignore_case)
  const lines: string[] = []
  const truncatedPaths: string[] = []
  const excluded: WalkEntry[] = []
  const buffer = Buffer.allocUnsafe(limits.fileBytes + 1)
  const slices = new TimeSlices(sliceMs)
  for (const entry of await openWalk(workspace, path, { maxDepth: limits.depth, includeAll })) {
    const pause = slices.waitIfUsedUp()
    if (pause) await pause
    signal.throwIfAborted()
    if (entry.exclusion && entry.name !== '.git') excluded.push(entry)
    if (entry.kind !== 'file' || entry.exclusion || (glob && !matchesPath(entry.path, glob))) continue
    const read = readHead(buffer, entry)
    if (read.length > limits.fileBytes) truncatedPaths.push(entry.path)
    const bytes = read.subarray(0, limits.fileBytes)
    if (bytes.includes(0) || !canMatch(bytes)) continue
    for (const [index, line] of bytes.toString().split(/\r?\n/).entries()) {
      if (!matches(line)) continue
      if (lines.length === limits.matches) return `${lines.join('\n')}\n[more than ${limits.matches} lines match]`
      lines.push(`${entry.path}:${index + 1}: ${line.slice(0, limits.line)}`)
    }
  }
  return [
    lines.join('\n') || '(nothing found)',
    ...partlySearchedNote(truncatedPaths),
    ...excludedEntriesNote(excluded),
  ].join('\n')
}

function readHead(buffer: Buffer, { folder, name }: WalkEntry): Buffer {
  try {
    return buffer.subarray(0, folder.readStart(name, buffer))
  } catch {
    return buffer.subarray(0, 0)
  }
}

function partlySearchedNote(paths: string[]): string[] {
  if (paths.length === 0) return []
  return [
    `[only the first ${limits.fileBytes} bytes were searched of ${formatPaths(paths, limits.truncatedPaths)}: grep in the shell searches all of it]`,
  ]
}

function excludedEntriesNote(excluded: WalkEntry[]): string[] {
  const described = (['ignored', 'hidden'] as const).flatMap((reason) => {
    const paths = excluded
      .filter((entry) => entry.exclusion === reason)
      .map(({ path, kind }) => (kind === 'folder' ? `${path}/` : path))
    return paths.length === 0 ? [] : `${paths.length} ${reason} (${formatPaths(paths, limits.excludedPaths)})`
  })
  if (described.length === 0) return []
  return [`[not searched: ${described.join(', ')}; include_ignored searches them]`]
}

function formatPaths(paths: string[], maxNamed: number): string {
  const others = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : ''
  return paths.slice(0, maxNamed).map(printableLine).join(', ') + others
}
