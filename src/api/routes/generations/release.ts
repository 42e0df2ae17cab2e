import { Fault } from '#platform/core/fault.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { releaseMatching, releaseUnconfirmed } from '#spend/corrections/release.ts'
import { NoBody } from '../no-body.ts'
import { route } from '../route.ts'
import { GenerationFilters, toLedgerFilter } from './filters.ts'

/** Every released request is unconfirmed, so this filter is not offered. */
const { unconfirmed: _, ...filters } = GenerationFilters.shape

const Query = strictFields({
  id: z.string().min(1).max(256).optional().describe('The request. Cannot be combined with filters.'),
  all: z.enum(['true']).optional().describe('Required without `id` and without filters: releases every request.'),
  ...filters,
})

export const releaseGenerations = route({
  method: 'post',
  path: '/generations/release',
  tag: 'usage',
  key: 'management',
  summary: 'Release unconfirmed amounts of requests',
  description:
    'Releases the amounts that limits were charged without a report of the provider, for one request (`id`) or for all requests of a filter. The amounts are returned to the budgets that counted them. The cost does not change. Repeating the call changes nothing. The audit log records it.',
  request: { query: Query, body: NoBody },
  response: z.object({
    data: z
      .object({
        requests: z.int().describe('The number of requests whose amount was released.'),
        released_usd: z.number(),
      })
      .meta({ id: 'ReleasedCharges' }),
  }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ query: { id, all, ...filter }, caller }, deps) => {
    const isFiltered = Object.values(filter).some((value) => value !== undefined)
    const selections = [id !== undefined, all !== undefined, isFiltered]
    if (selections.filter((isGiven) => isGiven).length !== 1)
      throw new Fault('invalid', 'Invalid request: name either id, filters, or all=true')
    const { requests, amount } =
      id === undefined
        ? await releaseMatching(deps, caller, await toLedgerFilter(deps, caller, { ...filter, unconfirmed: undefined }))
        : await releaseUnconfirmed(deps, caller, id)
    return { data: { requests, released_usd: toUsd(amount) } }
  },
})
