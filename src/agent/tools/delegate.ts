import { z } from '#platform/json/schema.ts'
import { defineTool, heartbeatMs } from './tool.ts'

export const delegate = defineTool({
  name: 'delegate',
  description: [
    'Give a task to a helper that works on it with your tools, in a separate context, and get its report. Use it for',
    'work whose details you need not see, such as searching a large project or a change that stands by itself: your own',
    'context stays small. It knows nothing of this conversation: say all that it needs, and what its report must contain.',
    'Helpers that you call in one answer work at the same time: give them tasks that change different files.',
  ].join(' '),
  kind: 'think',
  runsAlone: false,
  input: z.object({ task: z.string().min(1).max(20_000).describe('The whole task, with what to report.') }),
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
