import { z } from '#platform/json/schema.ts'
import { defineTool } from '../tool.ts'
import { writeText } from './workspace.ts'

export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Write a whole file of the workspace: a new one, or all of an existing one. Missing folders are created. To change a part of a file use edit_file.',
  kind: 'edit',
  runsAlone: true,
  input: z.object({
    path: z.string().min(1).describe('The file, relative to the workspace.'),
    content: z.string().describe('All of its text.'),
  }),
  title: ({ path }) => `Write ${path}`,
  async run({ path, content }, { workspace }) {
    const { made } = await writeText(workspace, path, content)
    return `${made ? 'Made' : 'Replaced'} ${path} (${Buffer.byteLength(content)} bytes).`
  },
})
