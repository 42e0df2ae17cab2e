import type { AnalyticsQuery } from '../api/types.ts'
import { spanOf, spans } from './list/log-query.ts'

type Values = Readonly<Record<string, string>>
type Field = NonNullable<AnalyticsQuery['filters']>[number]['field']

/** The analytics field of each log filter. */
const fields: Record<string, Field> = {
  api_key_hash: 'api_key_id',
  user_id: 'user',
  workspace_id: 'workspace',
  model: 'model',
  provider: 'provider',
  preset: 'preset',
  outcome: 'outcome',
  error: 'error',
}

/** Filters that analytics does not support. */
const unsupportedFilters = /^(session_id|guardrail_id|streamed|(min|max)_\w+)$/

const minuteMs = 60_000
const defaultSpan = '24h'

export type SummaryQuery = Required<Pick<AnalyticsQuery, 'time_range' | 'filters'>> & {
  granularity: 'minute' | 'hour' | 'day'
  /** A description of the time range. */
  label: string
  seconds: number
}

/** The query for the totals of the log; undefined if analytics does not support a filter. */
export function summaryQuery(values: Values, now: number): SummaryQuery | undefined {
  if (Object.keys(values).some((name) => unsupportedFilters.test(name))) return undefined
  // Without a time range, the totals are those of the last day.
  const { label, ms } = spanOf(values.last) ?? spans[defaultSpan]!
  const end = values.to ? Date.parse(values.to) : Math.ceil(now / minuteMs) * minuteMs
  const start = values.from ? Date.parse(values.from) : end - ms
  const span = end - start
  // The log reports invalid times.
  if (!(span > 0)) return undefined
  const filters = Object.entries(fields).flatMap(([name, field]) => {
    const value = values[name]
    return value ? [{ field, operator: 'in' as const, value: value.split(',') }] : []
  })
  return {
    time_range: { start: toIsoTime(start), end: toIsoTime(end) },
    filters,
    granularity: granularityOf(span),
    label: values.from || values.to ? 'selected time' : `last ${label}`,
    seconds: span / 1000,
  }
}

/** Fine enough for a small plot: at most 120 minutes, 192 hours, or days. */
function granularityOf(spanMs: number): SummaryQuery['granularity'] {
  if (spanMs <= 2 * 3_600_000) return 'minute'
  return spanMs <= 8 * 86_400_000 ? 'hour' : 'day'
}

const toIsoTime = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

const bucketMs = { minute: minuteMs, hour: 3_600_000, day: 86_400_000 }

/** A value for each bucket, 0 without requests. */
export function bucketValues(
  rows: readonly { date?: string; [name: string]: unknown }[],
  name: string,
  { time_range, granularity }: SummaryQuery,
): number[] {
  const step = bucketMs[granularity]
  const byBucket = new Map(rows.map((row) => [Math.floor(Date.parse(row.date ?? '') / step), Number(row[name] ?? 0)]))
  const first = Math.floor(Date.parse(time_range.start) / step)
  const last = Math.floor((Date.parse(time_range.end) - 1) / step)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => byBucket.get(first + index) ?? 0)
}
