import { z } from '#platform/json/schema.ts'
import { defineTool } from '../tool.ts'

export const stopProcess = defineTool({
  name: 'stop_process',
  description: 'End a process of start_process, with all that it started, and get what it printed last.',
  kind: 'other',
  runsAlone: true,
  input: z.object({ process: z.string().min(1).describe('Its name, such as p1.') }),
  title: ({ process }) => `Stop ${process}`,
  run: ({ process }, { processes, signal }) => processes.stop(process, signal),
})
