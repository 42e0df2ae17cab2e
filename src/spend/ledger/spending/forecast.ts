import { dayMs } from '#platform/core/clock.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Interval } from '#platform/core/vocabulary.ts'
import { periodEnd, periodStart } from '../days.ts'

/** The percentage of a period that must have passed before a forecast: about an hour of a day. */
const minPercent = 4

/**
 * Predicts the spending at the end of the current period from the average since its start. Null for a limit that never resets,
 * and early in a period.
 */
export function predictSpending(interval: Interval | null, spent: PicoUsd, now: number): PicoUsd | null {
  if (interval === null) return null
  const from = periodStart(interval, now) * dayMs
  const elapsed = BigInt(Math.floor(now - from))
  const length = BigInt(periodEnd(interval, now) - from)
  return elapsed * 100n < length * BigInt(minPercent) ? null : (spent * length) / elapsed
}
