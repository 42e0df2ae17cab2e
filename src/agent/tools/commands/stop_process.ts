import { z } from '#platform/json/schema.ts'
import { defineTool } from '../tool.ts'

export const stopProcess = defineTool({
  name: 'stop_process',
  description: 'End a process that start_process started, with its child processes, and get its latest output.',
  kind: 'other',
  runsAlone: true,
  input: z.object({ process: z.string().min(1).describe('The name of the process, such as p1.') }),
  title: ({ process }) => `Stop ${process}`,
  run: ({ process }, { processes, signal }) => processes.stop(process, signal),
})
