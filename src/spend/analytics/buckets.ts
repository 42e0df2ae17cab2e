import { grains } from '../rollups/cell.ts'
import type { Granularity } from './tiles.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** Returns the length of the buckets by which the database groups, in minutes. Weeks and months are built of days. */
export function groupingUnit(granularity: Granularity | undefined): number | undefined {
  if (granularity === undefined) return undefined
  if (granularity === 'minute' || granularity === 'hour') return grains[granularity]
  return grains.day
}

/** Returns the start of the bucket that contains a time slot of `groupingUnit`, in milliseconds since the epoch. Weeks start on Monday. */
export function bucketStart(granularity: Granularity, slot: number): number {
  switch (granularity) {
    case 'minute':
      return slot * minuteMs
    case 'hour':
      return slot * grains.hour * minuteMs
    case 'day':
      return slot * dayMs
    case 'week':
      // The epoch was a Thursday.
      return (slot - ((slot + 3) % 7)) * dayMs
    case 'month': {
      const date = new Date(slot * dayMs)
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
    }
    default:
      return granularity satisfies never
  }
}
