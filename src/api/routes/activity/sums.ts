import { fairLimit } from '#platform/async/limits/fair-limit.ts'
import { dayMs, isoTime } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import { groupings } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { sumGenerations } from '#spend/ledger/list/sum-generations.ts'
import type { Grouping } from '#spend/ledger/request-group.ts'
import { GenerationFilters, toLedgerFilter } from '../generations/filters.ts'
import { route } from '../route.ts'

const Query = z.object({
  by: z.enum(groupings).describe('Group by session, or by the values of a tag.'),
  tag_name: z.string().min(1).max(64).optional().describe('The tag whose values are the groups. Required for `tag`.'),
  limit: wholeNumber({ min: 1, max: 1000 }).default(100).describe('Maximum number of groups, 1 to 1,000.'),
  ...GenerationFilters.shape,
})

/**
 * One sum runs at a time, because a sum reads many rows, and other reports wait for its statements. Waiting sums take turns
 * by workspace and key.
 */
const limitSums = fairLimit({ maxRunning: 1, maxWaiting: 8, name: 'sums' })

const defaultDays = 30

const GroupSum = z
  .object({
    value: z.string().describe('The session or the value of the tag.'),
    requests: z.int(),
    failed_requests: z.int().describe('Failed and refused requests.'),
    usage: z.number().describe('Cost in USD, with any credential.'),
    unconfirmed_usd: z.number().describe('The amount that limits are charged in addition to the cost, in USD.'),
    first_at: z.string().describe('The start of the first request.'),
    last_at: z.string().describe('The start of the latest request.'),
  })
  .meta({ id: 'GroupSum', description: 'The sums of the requests of one session or tag.' })

export const listActivitySums = route({
  method: 'get',
  path: '/activity/sums',
  tag: 'usage',
  key: 'any',
  summary: 'Sum requests by session or tag, most expensive first',
  description:
    'Sums the requests that `GET /generations` lists with the same filters. Without `from`, those of the last 30 days. Tags are the pairs of `metadata` of a request; a request counts once for each of its values of `tag_name`.',
  request: { query: Query },
  response: z.object({ data: z.array(GroupSum) }),
  faults: ['invalid', 'unauthenticated', 'rate_limited', 'client_closed_request'],
  handler: async ({ query: { by, tag_name: name, limit, ...filters }, caller, response: { signal } }, deps) => {
    if ((by === 'tag') !== (name !== undefined))
      throw new Fault('invalid', 'Invalid request: tag_name: is required with by=tag, and only there')
    const requestFilter = await toLedgerFilter(deps, caller, filters)
    const from = requestFilter.from ?? (requestFilter.to ?? deps.now()) - defaultDays * dayMs
    const filter = { ...requestFilter, from }
    const group: Grouping = name === undefined ? { by: 'session' } : { by: 'tag', name }
    const groups = await limitSums(caller, signal, () => sumGenerations(deps, caller, filter, group, limit, signal))
    return {
      data: groups.map(({ value, requests, failed, cost, unconfirmed, firstAt, lastAt }) => ({
        value,
        requests,
        failed_requests: failed,
        usage: cost,
        unconfirmed_usd: unconfirmed,
        first_at: isoTime(firstAt),
        last_at: isoTime(lastAt),
      })),
    }
  },
})
