import { dayMs, hourMs } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { MetricName } from '#spend/analytics/metrics.ts'
import { maxGroups } from '#spend/analytics/query.ts'
import type { Order } from '#spend/analytics/sort-groups.ts'
import { minuteRetentionMs } from '#spend/rollups/prune-cells.ts'
import type { AnalyticsQueryBody } from './body.ts'

/** The default time range in days, for minutes and for longer buckets. */
const defaultDays = { minute: 1, longer: 30 }

/**
 * Clients compute a range of two days and send it a moment later, so an earlier start is accepted too. It need not be short,
 * because minutes are deleted hourly.
 */
const startToleranceMs = hourMs

/** The requested time range, in milliseconds since the epoch. @throws Fault `invalid`. */
export function readTimeRange(
  { time_range: range, granularity }: AnalyticsQueryBody,
  now: number,
): { from: number; to: number } {
  const days = granularity === 'minute' ? defaultDays.minute : defaultDays.longer
  if (!range) return { from: now - days * dayMs, to: now }
  const from = Date.parse(range.start)
  const to = Date.parse(range.end)
  if (from < to) return { from, to }
  throw new Fault('invalid', 'Invalid request: time_range: start must be before end')
}

/** @throws Fault `invalid` if minutes are requested that are no longer stored. */
export function requireStoredTime({ granularity }: AnalyticsQueryBody, { from }: { from: number }, now: number): void {
  if (granularity !== 'minute' || from >= now - minuteRetentionMs - startToleranceMs) return
  throw new Fault(
    'invalid',
    `Invalid request: time_range.start: minutes are stored for ${minuteRetentionMs / dayMs} days: use a later start, or group by hour`,
  )
}

const defaultLimit = 1000

/** The order of rows, the metrics that it needs, and the limit of rows. */
export function readOrder(body: AnalyticsQueryBody) {
  const { order_by: orderBy, granularity, dimensions, metrics, limit, group_limit: groupLimit } = body
  if (orderBy) requireSortable(body, orderBy.field)
  const order: Order[] = []
  if (orderBy) order.push(orderBy)
  if (granularity) order.push({ field: 'date', direction: 'asc' })
  order.push({ field: metrics[0]!, direction: 'desc' })
  for (const field of dimensions) order.push({ field, direction: 'asc' })
  const isSeries = granularity !== undefined && groupLimit === undefined
  return {
    order,
    // `request_count` is the only metric that can order rows without being requested.
    metrics: order.map(({ field }) => field).filter((field): field is MetricName => field === 'request_count'),
    groupLimit: dimensions.length > 0 ? groupLimit : undefined,
    limit: limit ?? (isSeries ? maxGroups : defaultLimit),
  }
}

function requireSortable({ metrics, dimensions }: AnalyticsQueryBody, field: Order['field']): void {
  const sortable: string[] = [...metrics, ...dimensions, 'request_count', 'date']
  if (sortable.includes(field)) return
  throw new Fault(
    'invalid',
    `Invalid request: order_by: ${field} is not in the result. Order by one of ${[...new Set(sortable)].join(', ')}`,
  )
}
