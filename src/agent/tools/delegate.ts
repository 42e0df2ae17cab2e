import { z } from '#platform/json/schema.ts'
import { defineTool, heartbeatMs } from './tool.ts'

export const delegate = defineTool({
  name: 'delegate',
  description: [
    'Give a task to a helper that works with your tools in a separate context, and get its report. Use it for work whose',
    'details you do not need to see, such as a search in a large project or an independent change: your own context stays',
    'small. The helper does not see this conversation: write everything that it needs, and what the report must contain.',
    'Helpers that you call in one response work in parallel: give them tasks that change different files.',
  ].join(' '),
  kind: 'think',
  runsAlone: false,
  input: z.object({
    task: z.string().min(1).max(20_000).describe('The complete task, and what the report must contain.'),
  }),
  title: ({ task }) => `Helper: ${task.split('\n')[0]!.slice(0, 100)}`,
  async run({ task }, { delegate, notifyProgress }) {
    const heartbeat = setInterval(notifyProgress, heartbeatMs)
    try {
      notifyProgress()
      return await delegate(task)
    } finally {
      clearInterval(heartbeat)
    }
  },
})
