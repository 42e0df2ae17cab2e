import type { AnalyticsQuery } from '../api/types.ts'
import { dayMs } from '../format/time.ts'

type Granularity = NonNullable<AnalyticsQuery['granularity']>

const hourMs = 3_600_000

/** Time ranges by their names in the address, with their granularity. */
export const spans: Record<string, { label: string; ms: number; granularity: Granularity; stepMs: number }> = {
  '1h': { label: '1 hour', ms: hourMs, granularity: 'minute', stepMs: 60_000 },
  '24h': { label: '24 hours', ms: dayMs, granularity: 'hour', stepMs: hourMs },
  '7d': { label: '7 days', ms: 7 * dayMs, granularity: 'hour', stepMs: hourMs },
  '30d': { label: '30 days', ms: 30 * dayMs, granularity: 'day', stepMs: dayMs },
  '90d': { label: '90 days', ms: 90 * dayMs, granularity: 'day', stepMs: dayMs },
}

export const defaultSpan = '24h'

export const spanOf = (name: string | undefined) => spans[name ?? defaultSpan] ?? spans[defaultSpan]!

/** Whole steps up to now, so that the first step is complete. */
export function timesOf({ ms, stepMs }: { ms: number; stepMs: number }, now: number): { from: number; to: number } {
  const to = Math.floor(now / stepMs) * stepMs + stepMs
  return { from: to - ms, to }
}
