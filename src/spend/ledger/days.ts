import { dayMs } from '#platform/core/clock.ts'
import type { Interval } from '#platform/core/vocabulary.ts'

/** A day in UTC, as the number of whole days since the epoch. */
export type Day = number

/** Returns the day of a time in milliseconds since the epoch. */
export function dayOf(ms: number): Day {
  return Math.floor(ms / dayMs)
}

export function dayText(day: Day): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** The first day of the period that contains a day, and of the next period. */
const periodDays: Record<Interval, { first: (day: Day) => Day; next: (first: Day) => Day }> = {
  daily: { first: (day) => day, next: (first) => first + 1 },
  // Weeks start on Monday. The epoch was a Thursday.
  weekly: { first: (day) => day - ((day + 3) % 7), next: (first) => first + 7 },
  monthly: { first: (day) => firstOfMonth(day, 0), next: (first) => firstOfMonth(first, 1) },
}

function firstOfMonth(day: Day, addedMonths: number): Day {
  const date = new Date(day * dayMs)
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + addedMonths, 1))
}

/** The first day of the period that contains `ms`. Weeks start on Monday, months on the 1st. */
export function periodStart(interval: Interval, ms: number): Day {
  return periodDays[interval].first(dayOf(ms))
}

/** The end of the period that contains `ms`, in milliseconds since the epoch. */
export function periodEnd(interval: Interval, ms: number): number {
  return periodDays[interval].next(periodStart(interval, ms)) * dayMs
}
