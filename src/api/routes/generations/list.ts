import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { listGenerations } from '#spend/ledger/list/list-generations.ts'
import { GenerationResponse, toGenerationResponse } from '../../generations/generation-response.ts'
import { route } from '../route.ts'
import { GenerationFilters, toLedgerFilter } from './filters.ts'

const Query = z.object({
  limit: wholeNumber({ min: 1, max: 100 }).default(50).describe('Maximum number of results, 1 to 100.'),
  cursor: z.string().max(500).optional().describe('The `next_cursor` of the previous page.'),
  ...GenerationFilters.shape,
})

export const listGenerationsRoute = route({
  method: 'get',
  path: '/generations',
  tag: 'usage',
  key: 'any',
  summary: 'List the request log, newest first',
  description:
    'A management key sees the requests of its organization, the key of an intern its own, and every other key those of its workspace. The server checks at most some thousand requests for a page. If few of them match the filter, the page has fewer than `limit` entries, or none, and `next_cursor` continues the search. It is null when there are no older requests.',
  request: { query: Query },
  response: z.object({ data: z.array(GenerationResponse), next_cursor: z.string().nullable() }),
  faults: ['invalid', 'unauthenticated'],
  handler: async ({ query, caller }, deps) => {
    const { data, nextCursor } = await listGenerations(deps, caller, await toLedgerFilter(deps, caller, query), query)
    return { data: data.map((record) => toGenerationResponse(record, caller)), next_cursor: nextCursor ?? null }
  },
})
