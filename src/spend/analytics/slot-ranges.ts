import { type Grain, grains } from '../rollups/cell.ts'

/** A range of slots of one grain; the end is exclusive. */
export type SlotRange = { grain: Grain; from: number; to: number }

export type Granularity = 'minute' | 'hour' | 'day' | 'week' | 'month'

const { minute, hour, day } = grains

/** Returns the grains of which buckets of a granularity can be built, longest first. */
function usableGrainsOf(granularity: Granularity | undefined): readonly Grain[] {
  if (granularity === 'minute') return [minute]
  return granularity === 'hour' ? [hour, minute] : [day, hour, minute]
}

/**
 * Covers a time range, in minutes since the epoch, with long slots, and with short slots at both ends. If short slots are
 * pruned, the long slot that overlaps the end of the range is used, and counts whole.
 * @param isStored must be true for all times after one for which it is true. Roll-ups are pruned oldest first.
 */
export function coverTime(
  time: { from: number; to: number },
  granularity: Granularity | undefined,
  isStored: (grain: Grain, minute: number) => boolean,
): SlotRange[] {
  return coverRange(time.from, time.to, usableGrainsOf(granularity), isStored)
}

function coverRange(
  from: number,
  to: number,
  candidates: readonly Grain[],
  isStored: (grain: Grain, at: number) => boolean,
): SlotRange[] {
  const [grain, ...finerGrains] = candidates
  if (from >= to || grain === undefined) return []
  const storedGrains = (at: number) => finerGrains.filter((finerGrain) => isStored(finerGrain, at))
  const last = Math.floor(to / grain)
  const headGrains = storedGrains(from)
  const tailGrains = storedGrains(last * grain)
  const start = headGrains.length > 0 ? Math.ceil(from / grain) : Math.floor(from / grain)
  const end = tailGrains.length > 0 ? last : Math.ceil(to / grain)
  // `headGrains` is not empty here: grains that are pruned at `from` are also pruned at the earlier start of its slot.
  if (start >= end) return coverRange(from, to, headGrains, isStored)
  return [
    ...coverRange(from, start * grain, headGrains, isStored),
    { grain, from: start, to: end },
    ...coverRange(end * grain, to, tailGrains, isStored),
  ]
}

export const containsMinute = ({ grain, from, to }: SlotRange, minute: number): boolean =>
  minute >= from * grain && minute < to * grain
