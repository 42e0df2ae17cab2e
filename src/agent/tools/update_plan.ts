import { z } from '#platform/json/schema.ts'
import { defineTool } from './tool.ts'

export const updatePlan = defineTool({
  name: 'update_plan',
  description: [
    'Show the person what you are going to do, and how far you are, for work of three steps or more. Each call replaces',
    'the whole plan: call it at the beginning, and whenever a step is done or the plan is another. One step at most is',
    'in progress.',
  ].join(' '),
  kind: 'think',
  runsAlone: true,
  input: z.object({
    steps: z
      .array(
        z.object({
          text: z.string().min(1).max(500).describe('The step in a few words.'),
          status: z.enum(['pending', 'in_progress', 'completed']),
        }),
      )
      .min(1)
      .max(50),
  }),
  title: ({ steps }) => `Plan of ${steps.length} steps`,
  async run({ steps }, { showPlan }) {
    if (steps.filter(({ status }) => status === 'in_progress').length > 1)
      throw new Error('Several steps are in progress. Mark the one you work on now, and the others as pending.')
    await showPlan(steps)
    const openSteps = steps.filter(({ status }) => status !== 'completed').length
    return openSteps > 0 ? `Shown. ${openSteps} of ${steps.length} steps are left.` : 'Shown. All steps are done.'
  },
})
