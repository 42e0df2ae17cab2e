import { z } from '#platform/json/schema.ts'
import { defineTool } from './tool.ts'

export const updatePlan = defineTool({
  name: 'update_plan',
  description: [
    'Show the person your plan and its progress. Use it for work of three or more steps. Each call replaces the whole plan.',
    'Call it at the beginning, when a step is completed, and when the plan changes. At most one step can be in progress.',
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
    return openSteps > 0 ? `Shown. ${openSteps} of ${steps.length} steps remain.` : 'Shown. All steps are completed.'
  },
})
