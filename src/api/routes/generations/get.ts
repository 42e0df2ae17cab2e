import { z } from '#platform/json/schema.ts'
import { findGeneration } from '#spend/ledger/read.ts'
import { GenerationAnswer, generationAnswer } from '../../generations/generation-answer.ts'
import { route } from '../route.ts'

export const getGeneration = route({
  method: 'get',
  path: '/generation',
  tag: 'usage',
  key: 'any',
  summary: 'Get the metering record of a request',
  description:
    'Use the ID from the header `x-generation-id` or from the answer. The record is written within a second of the end of the request.',
  request: { query: z.object({ id: z.string().min(1).max(256) }) },
  response: z.object({ data: GenerationAnswer }),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ query, caller }, deps) => ({
    data: generationAnswer(await findGeneration(deps, caller, query.id), caller),
  }),
})
