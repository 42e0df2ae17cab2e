import type { Interval } from '#platform/core/vocabulary.ts'

const dayMs = 86_400_000

/** Whole days since the epoch, in UTC. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}

export function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** The first day of the period that a day is in, and of the next. */
const periods: Record<Interval, { first: (day: number) => number; next: (first: number) => number }> = {
  daily: { first: (day) => day, next: (first) => first + 1 },
  // Weeks begin on Monday, and the epoch was a Thursday.
  weekly: { first: (day) => day - ((day + 3) % 7), next: (first) => first + 7 },
  monthly: { first: (day) => firstOfMonth(day, 0), next: (first) => firstOfMonth(first, 1) },
}

function firstOfMonth(day: number, monthsOn: number): number {
  const date = new Date(day * dayMs)
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsOn, 1))
}

/** The first day of the period that `ms` is in: weeks begin on Monday, months on the 1st. */
export function periodStart(interval: Interval, ms: number): number {
  return periods[interval].first(dayOf(ms))
}

/** When the period that `ms` is in ends and the next begins, in milliseconds since the epoch. */
export function periodEnd(interval: Interval, ms: number): number {
  return periods[interval].next(periodStart(interval, ms)) * dayMs
}
