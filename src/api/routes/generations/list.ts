import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { listGenerations } from '#spend/ledger/list-generations.ts'
import { route } from '../route.ts'
import { filterOf, GenerationFilters } from './filters.ts'
import { GenerationAnswer, generationAnswer } from './generation.ts'

const Query = z.object({
  limit: wholeNumber({ min: 1, max: 100 }).default(50).describe('How many to return, 1 to 100.'),
  cursor: z.string().max(500).optional().describe('The `next_cursor` of an earlier page.'),
  ...GenerationFilters.shape,
})

export const listAllGenerations = route({
  method: 'get',
  path: '/generations',
  tag: 'usage',
  key: 'any',
  summary: 'The request log: what was metered for each request, newest first',
  description:
    'A management key sees the requests of its organization, an intern’s own key its own, every other key those of its workspace. A page looks at some thousand requests at the most: with a filter that few of them pass it has fewer than `limit`, or none, and `next_cursor` says where the next one goes on. It is null where there are no older ones.',
  request: { query: Query },
  response: z.object({ data: z.array(GenerationAnswer), next_cursor: z.string().nullable() }),
  faults: ['invalid', 'unauthenticated'],
  handler: async ({ query, caller }, deps) => {
    const { data, nextCursor } = await listGenerations(deps, caller, await filterOf(deps, caller, query), query)
    return { data: data.map(generationAnswer), next_cursor: nextCursor ?? null }
  },
})
