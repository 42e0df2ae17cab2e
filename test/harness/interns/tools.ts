import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Processes } from '#agent/sandbox/processes.ts'
import type { ToolContext, ToolOutput } from '#agent/tools/tool.ts'
import { tools } from '#agent/tools/tools.ts'
import { openConfined } from '#platform/files/confined-folder.ts'
import { newFolder, realShell } from './scripted-agent.ts'

const textOf = (output: string | ToolOutput) => (typeof output === 'string' ? output : output.text)

/** The builtin agent's tools over a workspace with these files. */
export async function setUpTools(files: Record<string, string | Buffer> = {}, context: Partial<ToolContext> = {}) {
  const folder = await newFolder()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder.path, name, '..'), { recursive: true })
    await writeFile(join(folder.path, name), content)
  }
  const toolContext: ToolContext = {
    workspace: await openConfined(folder.path),
    shell: realShell(),
    processes: new Processes(),
    mode: 'self-drive',
    signal: new AbortController().signal,
    requestPermission: async () => true,
    askClientRules: async () => true,
    notifyProgress: () => {},
    ask: async () => ({ action: 'decline' }),
    showPlan: async () => {},
    elicit: async () => ({ action: 'cancel' }),
    delegate: async () => '',
    ...context,
  }
  return {
    path: folder.path,
    use: async (name: string, input: Record<string, unknown>) =>
      textOf(await tools.find((tool) => tool.name === name)!.run(input, toolContext)),
    text: (name: string) => readFile(join(folder.path, name), 'utf8'),
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  }
}
