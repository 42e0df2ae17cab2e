import { z } from '#platform/json/schema.ts'
import { defineTool } from '../tool.ts'
import { writeText } from './workspace.ts'

export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Create a file in the workspace, or replace the whole content of an existing one. Missing folders are created. To change a part of a file, use edit_file.',
  kind: 'edit',
  runsAlone: true,
  input: z.object({
    path: z.string().min(1).describe('The file, relative to the workspace.'),
    content: z.string().describe('The complete content of the file.'),
  }),
  title: ({ path }) => `Write ${path}`,
  async run({ path, content }, { workspace }) {
    const { made } = await writeText(workspace, path, content)
    return `${made ? 'Made' : 'Replaced'} ${path} (${Buffer.byteLength(content)} bytes).`
  },
})
