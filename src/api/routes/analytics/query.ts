import type { Caller } from '#identity/accounts/caller.ts'
import { isoTime } from '#platform/core/clock.ts'
import { z } from '#platform/json/schema.ts'
import { arrange } from '#spend/analytics/arrange.ts'
import { queryAnalytics as readAnalytics, type Scope } from '#spend/analytics/query.ts'
import { route } from '../route.ts'
import { AnalyticsQueryBody } from './body.ts'
import { readFilters } from './filters.ts'
import { orderOf, requireTimeKept, timeOf } from './options.ts'
import { analyticsRows } from './rows.ts'

const Row = z
  .looseObject({
    date: z.string().optional().describe('When the bucket begins, with a granularity.'),
    ids: z
      .record(z.string(), z.string().nullable())
      .optional()
      .describe('Of the dimensions `api_key_id`, `user` and `workspace`, which are told by name: what to filter by.'),
  })
  .meta({ id: 'AnalyticsRow', description: 'The dimensions and metrics that were asked for, each under its name.' })

export const queryAnalytics = route({
  method: 'post',
  path: '/analytics/query',
  tag: 'usage',
  key: 'any',
  isRead: true,
  summary: 'Sums, rates and percentiles of requests, by time and by what tells them apart',
  description:
    'A management key asks about its organization, a developer who is signed in about the requests of their keys, every other key about its own. Read from sums that are written with the requests, never from the requests themselves: what is told here is what `GET /activity` tells. `GET /analytics/meta` has all names.',
  request: { body: AnalyticsQueryBody },
  response: z.object({
    data: z.object({
      data: z.array(Row),
      metadata: z.object({
        query_time_ms: z.number(),
        row_count: z.int(),
        truncated: z.boolean().describe('Whether a limit left rows out.'),
        time_range: z
          .object({ start: z.string(), end: z.string() })
          .describe('The time that was counted: where minutes are not kept any more, whole hours or days at its ends.'),
      }),
      warnings: z.array(z.string()).optional(),
    }),
  }),
  faults: ['invalid', 'unauthenticated'],
  handler: async ({ body, caller, signal }, deps) => {
    const started = performance.now()
    const { organizationId } = caller
    const { filters, warnings } = await readFilters(deps, caller, body.filters)
    const time = timeOf(body, deps.now())
    requireTimeKept(body, time, deps.now())
    const retentionDays = deps.config.generation_retention_days
    const order = orderOf(body)
    const metrics = [...new Set([...body.metrics, ...order.metrics])]
    const query = { metrics, dimensions: body.dimensions, filters, granularity: body.granularity, ...time }
    const found = await readAnalytics({ ...deps, retentionDays }, scopeOf(caller), query, signal)
    const { groups, isTruncated } = arrange(found.groups, { ...order, dimensions: body.dimensions })
    return {
      data: {
        data: await analyticsRows(deps, organizationId, body, groups),
        metadata: {
          query_time_ms: Math.round((performance.now() - started) * 10) / 10,
          row_count: groups.length,
          truncated: isTruncated,
          time_range: { start: isoTime(found.from), end: isoTime(found.to) },
        },
        ...(warnings.length > 0 && { warnings }),
      },
    }
  },
})

function scopeOf({ organizationId, keyKind, keyHash, userId, access }: Caller): Scope {
  if (keyKind === 'management') return { organizationId }
  return access === 'developer' ? { organizationId, userId } : { organizationId, keyHash }
}
