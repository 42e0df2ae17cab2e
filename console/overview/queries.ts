import type { AnalyticsQuery, AnalyticsRow } from '../api/types.ts'
import { spanOf, timesOf } from './time-ranges.ts'

type Dimension = NonNullable<AnalyticsQuery['dimensions']>[number]
type Filter = NonNullable<AnalyticsQuery['filters']>[number]
export type Row = AnalyticsRow & { [name: string]: unknown }

/** Breakdowns by their names in the address. `filter` is the filter of the request log. */
export const breakdowns: Record<string, { label: string; dimension: Dimension; filter: string }> = {
  model: { label: 'model', dimension: 'model', filter: 'model' },
  key: { label: 'key', dimension: 'api_key_id', filter: 'api_key_hash' },
  provider: { label: 'provider', dimension: 'provider', filter: 'provider' },
  endpoint: { label: 'endpoint', dimension: 'endpoint', filter: 'endpoint' },
  member: { label: 'member', dimension: 'user', filter: 'user_id' },
  workspace: { label: 'workspace', dimension: 'workspace', filter: 'workspace_id' },
}

export const breakdownOf = (name: string | undefined) => breakdowns[name ?? 'model'] ?? breakdowns.model!

/** Orders of the groups by their names in the address, descending. */
export const orders = {
  requests: 'request_count',
  tokens: 'tokens_total',
  failed: 'error_count',
  slow: 'latency_p95',
  spent: 'upstream_inference_cost',
} as const satisfies Record<string, AnalyticsQuery['metrics'][number]>
export type Order = keyof typeof orders

export const orderOf = (name: string | undefined): Order =>
  name !== undefined && Object.hasOwn(orders, name) ? (name as Order) : 'spent'

/** The log filters for a group. The log has no filter for endpoints, only for model and provider. */
export function logFilters(filter: string, id: string): Record<string, string> {
  if (filter !== 'endpoint') return { [filter]: id }
  const at = id.lastIndexOf('@')
  return { model: id.slice(0, at), provider: id.slice(at + 1) }
}

/** API filters by their names in the address, which are those of the request log. */
const fields: Record<string, Filter['field']> = {
  model: 'model',
  provider: 'provider',
  api_key_hash: 'api_key_id',
  user_id: 'user',
  workspace_id: 'workspace',
  preset: 'preset',
}
export const filterNames = Object.keys(fields)

export type Values = Readonly<Record<string, string>>

/** The filters of the address. */
export function parseFilters(values: Values): Filter[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    values[name] ? [{ field, operator: 'eq' as const, value: values[name] }] : [],
  )
}

const overviewMetrics = [
  'request_count',
  'upstream_inference_cost',
  'error_count',
  'refused_count',
  'latency_p50',
  'latency_p95',
  'cache_saving',
  'tokens_total',
] as const satisfies AnalyticsQuery['metrics']

const maxGroups = 50

/** The queries of the overview: totals of this and the previous time range, over time, and by group. */
export function overviewQueries(values: Values, now: number) {
  const span = spanOf(values.last)
  const { from, to } = timesOf(span, now)
  const { dimension } = breakdownOf(values.by)
  const filters = parseFilters(values)
  const within = (start: number, end: number) => ({
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
  })
  const time_range = within(from, to)
  const common = { metrics: [...overviewMetrics], filters, time_range } satisfies AnalyticsQuery
  return {
    total: common,
    previous: { ...common, time_range: within(from - span.ms, from) },
    overTime: { ...common, granularity: span.granularity },
    groups: {
      ...common,
      dimensions: [dimension],
      order_by: { field: orders[orderOf(values.order)], direction: 'desc' },
      limit: maxGroups,
    },
    groupsOverTime: {
      metrics: ['request_count', 'upstream_inference_cost'],
      filters,
      time_range,
      dimensions: [dimension],
      granularity: span.granularity,
    },
  } satisfies Record<string, AnalyticsQuery>
}
