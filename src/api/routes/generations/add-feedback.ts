import { z } from '#platform/json/schema.ts'
import { text } from '#platform/json/text.ts'
import { addFeedback, feedbackCategories } from '#spend/ledger/feedback.ts'
import { findGeneration } from '#spend/ledger/read-generations.ts'
import { route } from '../route.ts'

export const addGenerationFeedback = route({
  method: 'post',
  path: '/generation/feedback',
  tag: 'usage',
  key: 'any',
  summary: 'Report a problem with a response',
  description:
    'Any caller that can read the request can report a problem with it. `GET /generation` returns the reports. They are deleted with the request.',
  request: {
    body: z.object({
      generation_id: z.string().min(1).max(256),
      category: z.enum(feedbackCategories).describe('The kind of problem.'),
      comment: text({ max: 2000 }).nullish().describe('At most 2,000 characters.'),
    }),
  },
  response: z.object({ data: z.object({ success: z.literal(true) }) }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ body: { generation_id: id, category, comment = null }, caller }, deps) => {
    const generation = await findGeneration(deps, caller, id)
    await addFeedback(deps, generation.id, caller.userId, { category, comment })
    return { data: { success: true as const } }
  },
})
