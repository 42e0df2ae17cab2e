import { dayMs, isoTime } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import { z } from '#platform/json/schema.ts'
import type { Group } from '#spend/analytics/group.ts'
import { metrics } from '#spend/analytics/metrics.ts'
import { queryAnalyticsFor } from '../analytics/limited-query.ts'
import { route } from '../route.ts'

const Day = z.iso.date('must be a day, such as 2030-01-31').optional()
const UnsupportedFilter = z.string().optional().describe('Not supported. A request with it is refused.')

const Query = z.object({
  start_date: Day.describe('The first day (YYYY-MM-DD, UTC). By default 30 days before the last one.'),
  end_date: Day.describe('The last day. By default today.'),
  period: z.enum(['day', 'week', 'month']).default('day').describe('The length of a row. Weeks start on Monday.'),
  modality: UnsupportedFilter,
  context_bucket: UnsupportedFilter,
  category: UnsupportedFilter,
  language_type: UnsupportedFilter,
})

const Ranking = z
  .object({
    date: z.string(),
    model_permaslug: z.string().describe('The model, or `other` for all after the first 50.'),
    total_tokens: z.string().describe('Tokens of prompts and responses.'),
  })
  .meta({ id: 'ModelRanking' })

const defaultDays = 30
const maxRanked = 50

export const listDailyRankings = route({
  method: 'get',
  path: '/datasets/rankings-daily',
  tag: 'usage',
  key: 'any',
  summary: 'Rank models by tokens for each day, week or month',
  description:
    'Ranks the models of the requests that `POST /analytics/query` counts for the same key. Returns up to 50 models for each period, and the sum of the others.',
  request: { query: Query },
  response: z.object({
    data: z.array(Ranking),
    meta: z.object({ as_of: z.string(), start_date: z.string(), end_date: z.string(), version: z.literal('v1') }),
  }),
  faults: ['invalid', 'unauthenticated', 'rate_limited', 'client_closed_request'],
  handler: async ({ query: { start_date, end_date, period, ...filters }, caller, signal }, deps) => {
    const unsupportedFilter = Object.entries(filters).find(([, value]) => value !== undefined)
    if (unsupportedFilter) throw new Fault('invalid', `Invalid request: ${unsupportedFilter[0]}: is not supported`)
    const now = deps.now()
    const lastMs = end_date === undefined ? now : Date.parse(end_date)
    const firstMs = start_date === undefined ? lastMs - defaultDays * dayMs : Date.parse(start_date)
    if (firstMs > lastMs) throw new Fault('invalid', 'Invalid request: start_date: must not be after end_date')
    const days = { from: Math.floor(firstMs / dayMs) * dayMs, to: (Math.floor(lastMs / dayMs) + 1) * dayMs }
    const tokensByModel = {
      metrics: ['tokens_total'],
      dimensions: ['model'],
      filters: [],
      granularity: period,
    } as const
    const { groups } = await queryAnalyticsFor(deps, caller, { ...tokensByModel, ...days }, signal)
    const periods = [...Map.groupBy(groups, ({ start }) => start)].sort(([a], [b]) => a - b)
    const dates = { start_date: isoDate(days.from), end_date: isoDate(days.to - 1) }
    return {
      data: periods.flatMap(([start, models]) => rankModels(isoDate(start), models)),
      meta: { as_of: isoTime(now), ...dates, version: 'v1' as const },
    }
  },
})

const isoDate = (ms: number) => isoTime(ms).slice(0, 10)

/** The models of one period, most tokens first, and the sum of those after the first 50. */
function rankModels(date: string, groups: readonly Group[]): z.infer<typeof Ranking>[] {
  const models = groups
    .map((group) => ({ model: group.values[0] ?? '', tokens: metrics.tokens_total.compute(group) ?? 0 }))
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => b.tokens - a.tokens || (a.model < b.model ? -1 : 1))
  const otherTokens = models.slice(maxRanked).reduce((sum, { tokens }) => sum + tokens, 0)
  const rows = models.slice(0, maxRanked)
  if (otherTokens > 0) rows.push({ model: 'other', tokens: otherTokens })
  return rows.map(({ model, tokens }) => ({ date, model_permaslug: model, total_tokens: String(tokens) }))
}
