import { z } from '#platform/json/schema.ts'
import { defineTool } from '../tool.ts'

export const readProcess = defineTool({
  name: 'read_process',
  description: [
    'Read what a process of start_process printed since it was read last, and whether it still runs. With wait_seconds it',
    'waits so long for something new at the most.',
  ].join(' '),
  kind: 'other',
  runsAlone: false,
  input: z.object({
    process: z.string().min(1).describe('Its name, such as p1.'),
    wait_seconds: z.int().min(0).max(60).optional().describe('Defaults to 0.'),
  }),
  title: ({ process }) => `Output of ${process}`,
  run: ({ process, wait_seconds = 0 }, { processes, signal }) => processes.read(process, wait_seconds * 1000, signal),
})
