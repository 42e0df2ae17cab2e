export type Interval = 'daily' | 'weekly' | 'monthly'

const dayMs = 86_400_000

/** Whole days since the epoch, in UTC. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}

export function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** The first day of the period that `ms` is in: weeks begin on Monday, months on the 1st. */
export function periodStart(interval: Interval, ms: number): number {
  const day = dayOf(ms)
  if (interval === 'daily') return day
  // The epoch was a Thursday.
  if (interval === 'weekly') return day - ((day + 3) % 7)
  const date = new Date(ms)
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1))
}

/** When the period that `ms` is in ends and the next begins, in milliseconds since the epoch. */
export function periodEnd(interval: Interval, ms: number): number {
  const start = periodStart(interval, ms)
  if (interval !== 'monthly') return (start + (interval === 'weekly' ? 7 : 1)) * dayMs
  const date = new Date(start * dayMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}
