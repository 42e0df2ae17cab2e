import { dayMs, minuteMs } from '#platform/core/clock.ts'
import { periodStart } from '../ledger/days.ts'
import { grains } from '../rollups/cell.ts'
import type { Granularity } from './slot-ranges.ts'

/**
 * Returns the length of the slots by which the database groups, in minutes; undefined for one slot of the whole time. Weeks and
 * months are built of days, so their buckets contain several slots.
 */
export function slotMinutesOf(granularity: Granularity | undefined): number | undefined {
  if (granularity === undefined) return undefined
  if (granularity === 'minute' || granularity === 'hour') return grains[granularity]
  return grains.day
}

/** Returns the start of the bucket that contains a slot, in milliseconds since the epoch. @param slot its number, by `slotMinutesOf`. */
export function bucketStart(granularity: Granularity, slot: number): number {
  switch (granularity) {
    case 'minute':
      return slot * minuteMs
    case 'hour':
      return slot * grains.hour * minuteMs
    case 'day':
      return slot * dayMs
    case 'week':
      return periodStart('weekly', slot * dayMs) * dayMs
    case 'month':
      return periodStart('monthly', slot * dayMs) * dayMs
    default:
      return granularity satisfies never
  }
}
