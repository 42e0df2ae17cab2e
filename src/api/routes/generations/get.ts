import { z } from '#platform/json/schema.ts'
import { readFeedback } from '#spend/ledger/feedback.ts'
import { findGeneration } from '#spend/ledger/read-generations.ts'
import { GenerationResponse, toGenerationResponse } from '../../generations/generation-response.ts'
import { route } from '../route.ts'

const Feedback = z.object({
  user_id: z.string(),
  category: z.string(),
  comment: z.string().nullable(),
  created_at: z.string(),
})

export const getGeneration = route({
  method: 'get',
  path: '/generation',
  tag: 'usage',
  key: 'any',
  summary: 'Get the metering record of a request',
  description:
    'Use the ID from the header `x-generation-id` or from the response. The record is written within a second of the end of the request.',
  request: { query: z.object({ id: z.string().min(1).max(256).describe('ID of the request.') }) },
  response: z.object({
    data: GenerationResponse.extend({ feedback: z.array(Feedback).describe('Reported problems.') }),
  }),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ query, caller }, deps) => {
    const record = await findGeneration(deps, caller, query.id)
    return { data: { ...toGenerationResponse(record, caller), feedback: await readFeedback(deps.db.query, record.id) } }
  },
})
