import type { AnalyticsQuery } from '../../api/types.ts'
import { dayMs } from '../../format/time.ts'
import { orders, parseFilters, type Row, type Values } from '../queries.ts'
import { dayText } from '../spending-paths.ts'
import { groupId, groupName } from '../stacked-lines.ts'

type Dimension = NonNullable<AnalyticsQuery['dimensions']>[number]

/** The groupings by their names in the address. */
export const groupings: Record<string, { label: string; dimension: Dimension }> = {
  model: { label: 'model', dimension: 'model' },
  provider: { label: 'provider', dimension: 'provider' },
  endpoint: { label: 'endpoint', dimension: 'endpoint' },
  key: { label: 'key', dimension: 'api_key_id' },
  member: { label: 'member', dimension: 'user' },
  workspace: { label: 'workspace', dimension: 'workspace' },
  preset: { label: 'preset', dimension: 'preset' },
  outcome: { label: 'outcome', dimension: 'outcome' },
  error: { label: 'error', dimension: 'error' },
}

/** The measures by their names in the address. Measures of a chart add up. */
export const measures = {
  spent: { label: 'spent', metric: orders.spent },
  requests: { label: 'requests', metric: orders.requests },
  tokens: { label: 'tokens', metric: orders.tokens },
  failed: { label: 'failed', metric: orders.failed },
} as const
export type Measure = keyof typeof measures

export const measureOf = (name: string | undefined): Measure =>
  name !== undefined && Object.hasOwn(measures, name) ? (name as Measure) : 'spent'

/** The one or two groupings that the address names. Defaults to `model`. */
export function groupingsOf({ by, then }: Values) {
  const first = groupings[by ?? 'model'] ?? groupings.model!
  const second = then === undefined ? undefined : groupings[then]
  return second && second !== first ? [first, second] : [first]
}

/** The chart of a longer time has one point a day. */
const maxHourlySpanMs = 8 * dayMs
/** Sums of hours are stored at least for a month by default. */
const hoursStoredMs = 30 * dayMs

/** The days of the address in UTC, both inclusive; by default the last 30 days. */
export function daysOf({ from, to }: Values, now: number): { from: string; to: string } {
  const today = dayText(now)
  const end = isDay(to) ? to : today
  return { from: isDay(from) ? from : dayText(Date.parse(end) - 29 * dayMs), to: end }
}

const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/** More rows would make the page slow. */
export const maxTableRows = 1_000

/** The queries of the table and of the chart. Undefined if the last day is before the first. */
export function exploreQueries(values: Values, now: number, limit = maxTableRows) {
  const days = daysOf(values, now)
  const [from, to] = [Date.parse(days.from), Date.parse(days.to) + dayMs]
  if (to <= from) return undefined
  const isHourly = to - from <= maxHourlySpanMs && from > now - hoursStoredMs
  const metric = measures[measureOf(values.measure)].metric
  const common = {
    filters: parseFilters(values),
    time_range: { start: new Date(from).toISOString(), end: new Date(to).toISOString() },
    dimensions: groupingsOf(values).map(({ dimension }) => dimension),
  }
  return {
    time: { from, to: Math.min(to, now), stepMs: isHourly ? 3_600_000 : dayMs },
    table: {
      ...common,
      metrics: [
        ...Object.values(measures).map(({ metric: one }) => one),
        'latency_p50' as const,
        'latency_p95' as const,
      ],
      order_by: { field: metric, direction: 'desc' as const },
      limit,
    },
    chart: { ...common, metrics: [metric], granularity: isHourly ? ('hour' as const) : ('day' as const) },
  } satisfies { time: object; table: AnalyticsQuery; chart: AnalyticsQuery }
}

/** Rows with the values of all groupings as one, so that a chart has a line for each combination. */
export const withCombination = (rows: Row[], dimensions: readonly string[]): Row[] =>
  rows.map((row) => {
    const join = (textOf: typeof groupId) => dimensions.map((one) => textOf(row, one)).join(' · ')
    return { ...row, combination: join(groupName), ids: { combination: join(groupId) } }
  })
