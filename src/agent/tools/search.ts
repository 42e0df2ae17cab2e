import { z } from '#platform/json/schema.ts'
import { namingNear } from './near-files.ts'
import { type ToolContext, tool } from './tool.ts'
import { fits, walk } from './walk.ts'
import { readBytes } from './workspace.ts'

const most = { matches: 200, fileBytes: 2 * 1024 * 1024, line: 300 }

export const search = tool({
  name: 'search',
  description: [
    'Search the text files of the workspace for a regular expression (RE2: no look-around, no back-references), line by',
    'line. Answers path:line: text. Folders such as .git and node_modules are left out.',
  ].join(' '),
  kind: 'search',
  alone: false,
  input: z.object({
    pattern: z.string().min(1).describe('The regular expression.'),
    path: z.string().optional().describe('Only in this folder or file.'),
    glob: z.string().optional().describe('Only in files whose path matches, such as src/**/*.ts.'),
    ignore_case: z.boolean().optional(),
  }),
  paths: ({ path = '.' }) => [path],
  title: ({ pattern }) => `Search for ${pattern}`,
  run: (input, context) => namingNear(context.workspace, input.path ?? '.', () => found(input, context)),
})

type Input = {
  pattern: string
  path?: string | undefined
  glob?: string | undefined
  ignore_case?: boolean | undefined
}

async function found({ pattern, path = '.', glob, ignore_case = false }: Input, { workspace, signal }: ToolContext) {
  const matches = await matcher(pattern, ignore_case)
  const lines: string[] = []
  const partly: string[] = []
  for await (const entry of walk(workspace, path, 20)) {
    signal.throwIfAborted()
    if (entry.kind !== 'file' || (glob && !fits(entry.path, glob))) continue
    const file = await readBytes(workspace, entry.path, most.fileBytes).catch(() => undefined)
    if (!file || file.bytes.subarray(0, 8192).includes(0)) continue
    if (file.size > file.bytes.length) partly.push(entry.path)
    for (const [index, line] of file.bytes.toString().split('\n').entries()) {
      if (!matches(line)) continue
      if (lines.length === most.matches) return `${lines.join('\n')}\n[more than ${most.matches} lines match]`
      lines.push(`${entry.path}:${index + 1}: ${line.slice(0, most.line)}`)
    }
  }
  return [lines.join('\n') || '(nothing found)', ...notSearched(partly)].join('\n')
}

/** What is not said to be left out is taken for searched. */
function notSearched(partly: string[]): string[] {
  if (partly.length === 0) return []
  const named = partly.slice(0, 10).join(', ')
  const others = partly.length > 10 ? ` and ${partly.length - 10} more` : ''
  return [
    `[only the first ${most.fileBytes} bytes were searched of ${named}${others}: grep in the shell looks at all of it]`,
  ]
}

/** Plain text is looked for as such; the rest on an engine whose time is linear, since the pattern is the model's. */
async function matcher(pattern: string, ignoreCase: boolean): Promise<(line: string) => boolean> {
  if (!ignoreCase && /^[\w\s/'"`,:;=<>@#%&!~-]*$/.test(pattern)) return (line) => line.includes(pattern)
  const { RE2JS } = await import('re2js')
  try {
    const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    return (line) => compiled.matcher(line).find()
  } catch (error) {
    throw new Error(`The pattern is wrong: ${(error as Error).message}.`)
  }
}
