import { z } from 'zod'
import { readBytes } from '../workspace.ts'
import { tool } from './tool.ts'
import { fits, walk } from './walk.ts'

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
  async run({ pattern, path = '.', glob, ignore_case = false }, { workspace, signal }) {
    const matches = await matcher(pattern, ignore_case)
    const lines: string[] = []
    for await (const found of walk(workspace, path, 20)) {
      signal.throwIfAborted()
      if (found.kind !== 'file' || (glob && !fits(found.path, glob))) continue
      const file = await readBytes(workspace, found.path, most.fileBytes).catch(() => undefined)
      if (!file || file.bytes.subarray(0, 8192).includes(0)) continue
      for (const [index, line] of file.bytes.toString().split('\n').entries()) {
        if (!matches(line)) continue
        if (lines.length === most.matches) return `${lines.join('\n')}\n[more than ${most.matches} lines match]`
        lines.push(`${found.path}:${index + 1}: ${line.slice(0, most.line)}`)
      }
    }
    return lines.join('\n') || '(nothing found)'
  },
})

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
