import { grains } from '../rollups/cell.ts'
import type { Granularity } from './tiles.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** How long the buckets are that the database groups by, in minutes; longer ones are made of days. */
export function unitOf(granularity: Granularity | undefined): number | undefined {
  if (granularity === undefined) return undefined
  if (granularity === 'minute' || granularity === 'hour') return grains[granularity]
  return grains.day
}

/** When the bucket begins that a unit is in, in milliseconds since the epoch. Weeks begin on Monday. */
export function bucketStart(granularity: Granularity, unit: number): number {
  switch (granularity) {
    case 'minute':
      return unit * minuteMs
    case 'hour':
      return unit * grains.hour * minuteMs
    case 'day':
      return unit * dayMs
    case 'week':
      // The epoch was a Thursday.
      return (unit - ((unit + 3) % 7)) * dayMs
    case 'month': {
      const date = new Date(unit * dayMs)
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
    }
    default:
      return granularity satisfies never
  }
}
