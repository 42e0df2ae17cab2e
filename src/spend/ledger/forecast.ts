import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Interval } from '#platform/core/vocabulary.ts'
import { periodEnd, periodStart } from './days.ts'

const dayMs = 86_400_000

/** So much of a period, in a hundred, must be over before its pace says anything. */
const leastPercent = 4

/**
 * What will be spent at the end of the running period if it goes on as it did since its begin; null for a limit that
 * never starts again, and while too little of the period is over.
 */
export function forecastOf(interval: Interval | null, spent: PicoUsd, now: number): PicoUsd | null {
  if (interval === null) return null
  const from = periodStart(interval, now) * dayMs
  const [over, whole] = [BigInt(Math.floor(now - from)), BigInt(periodEnd(interval, now) - from)]
  return over * 100n < whole * BigInt(leastPercent) ? null : (spent * whole) / over
}
