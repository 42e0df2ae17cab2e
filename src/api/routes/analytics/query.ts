import { isoTime } from '#platform/core/clock.ts'
import { z } from '#platform/json/schema.ts'
import { sortGroups } from '#spend/analytics/sort-groups.ts'
import { route } from '../route.ts'
import { AnalyticsQueryBody } from './body.ts'
import { readFilters } from './filters.ts'
import { queryAnalyticsFor } from './limited-query.ts'
import { readOrder, readTimeRange, requireStoredTime } from './options.ts'
import { analyticsRows } from './rows.ts'

const Row = z
  .looseObject({
    date: z.string().optional().describe('The start of the bucket, if a granularity is set.'),
    ids: z
      .record(z.string(), z.string().nullable())
      .optional()
      .describe(
        'The values to filter by for the dimensions `api_key_id`, `user` and `workspace`, which are returned as names.',
      ),
  })
  .meta({ id: 'AnalyticsRow', description: 'The requested dimensions and metrics, by name.' })

export const queryAnalytics = route({
  method: 'post',
  path: '/analytics/query',
  tag: 'usage',
  key: 'any',
  isRead: true,
  summary: 'Query sums, rates and percentiles of requests by time and dimension',
  description:
    'A management key covers its organization, a signed-in developer the requests of their keys, and every other key its own requests. The figures are read from sums that are written with the requests, as for `GET /activity`. `GET /analytics/meta` lists all metrics and dimensions.',
  request: { body: AnalyticsQueryBody },
  response: z.object({
    data: z.object({
      data: z.array(Row),
      metadata: z.object({
        query_time_ms: z.number(),
        row_count: z.int(),
        truncated: z.boolean().describe('Whether a limit omitted rows.'),
        time_range: z
          .object({ start: z.string(), end: z.string() })
          .describe(
            'The counted time range. If minutes are no longer stored, it starts and ends with whole hours or days.',
          ),
      }),
      warnings: z.array(z.string()).optional(),
    }),
  }),
  faults: ['invalid', 'unauthenticated', 'rate_limited', 'client_closed_request'],
  handler: async ({ body, caller, signal }, deps) => {
    const started = performance.now()
    const { organizationId } = caller
    const { filters, warnings } = await readFilters(deps, caller, body.filters)
    const time = readTimeRange(body, deps.now())
    requireStoredTime(body, time, deps.now())
    const order = readOrder(body)
    const metrics = [...new Set([...body.metrics, ...order.metrics])]
    const query = { metrics, dimensions: body.dimensions, filters, granularity: body.granularity, ...time }
    const result = await queryAnalyticsFor(deps, caller, query, signal)
    const { groups, isTruncated } = sortGroups(result.groups, { ...order, dimensions: body.dimensions })
    return {
      data: {
        data: await analyticsRows(deps, organizationId, body, groups),
        metadata: {
          query_time_ms: Math.round((performance.now() - started) * 10) / 10,
          row_count: groups.length,
          truncated: isTruncated,
          time_range: { start: isoTime(result.from), end: isoTime(result.to) },
        },
        ...(warnings.length > 0 && { warnings }),
      },
    }
  },
})
