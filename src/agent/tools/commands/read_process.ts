import { z } from '#platform/json/schema.ts'
import { defineTool } from '../tool.ts'

export const readProcess = defineTool({
  name: 'read_process',
  description: [
    'Get the output of a process that start_process started, since the previous read, and whether the process still runs.',
    'With wait_seconds, the call waits for new output at most for this time.',
  ].join(' '),
  kind: 'other',
  runsAlone: false,
  input: z.object({
    process: z.string().min(1).describe('The name of the process, such as p1.'),
    wait_seconds: z.int().min(0).max(60).optional().describe('Defaults to 0.'),
  }),
  title: ({ process }) => `Output of ${process}`,
  run: ({ process, wait_seconds = 0 }, { processes, signal }) => processes.read(process, wait_seconds * 1000, signal),
})
