import { z } from '#platform/json/schema.ts'
import { defineTool, type ToolContext } from '../tool.ts'
import { withSuggestions } from './similar-files.ts'
import { matchesPath, openWalk, type WalkEntry } from './walk.ts'

const maxEntries = 1_000
/** A listing without a pattern is an overview. A pattern selects few files, so that all levels are searched. */
const depths = { overview: 3, max: 20 }

export const listFiles = defineTool({
  name: 'list_files',
  description: [
    'List the files and folders of a workspace folder. Names of folders end with /, names of links with @. With pattern (a',
    'glob such as **/*.test.ts), only matching files are listed. Ignored folders (.gitignore, .git, node_modules) are listed',
    'without their contents.',
  ].join(' '),
  kind: 'read',
  runsAlone: false,
  input: z.object({
    path: z.string().optional().describe('The folder, relative to the workspace; defaults to the workspace.'),
    depth: z
      .int()
      .min(1)
      .max(depths.max)
      .optional()
      .describe(`The number of folder levels. Defaults to ${depths.overview}, or to ${depths.max} with pattern.`),
    pattern: z
      .string()
      .optional()
      .describe('A glob for paths relative to the workspace. A glob without / is compared with names only.'),
  }),
  paths: ({ path = '.' }) => [path],
  title: ({ path, pattern }) => `List ${pattern ?? path ?? 'files'}`,
  run: (input, context) => withSuggestions(context.workspace, input.path ?? '.', () => listEntries(input, context)),
})

type Input = { path?: string | undefined; depth?: number | undefined; pattern?: string | undefined }

async function listEntries({ path = '.', depth, pattern }: Input, { workspace, signal }: ToolContext): Promise<string> {
  const lines: string[] = []
  for (const found of await openWalk(workspace, path, {
    maxDepth: depth ?? (pattern ? depths.max : depths.overview),
    includeHidden: true,
  })) {
    signal.throwIfAborted()
    if (pattern && (found.kind === 'folder' || !matchesPath(found.path, pattern))) continue
    if (lines.length === maxEntries) return `${lines.join('\n')}\n[more than ${maxEntries}: name a folder or a pattern]`
    lines.push(formatEntry(found))
  }
  return lines.join('\n') || (pattern ? '(no file matches)' : '(empty)')
}

function formatEntry({ path, kind, exclusion }: WalkEntry): string {
  const end = { file: '', folder: exclusion ? '/ (not opened)' : '/', link: '@', other: '' }[kind]
  return path + end
}
