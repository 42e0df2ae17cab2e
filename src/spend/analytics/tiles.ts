import { type Grain, grains } from '../rollups/cell.ts'

/** A range of slots of one grain; the end is exclusive. */
export type Tile = { grain: Grain; from: number; to: number }

export type Granularity = 'minute' | 'hour' | 'day' | 'week' | 'month'

const { minute, hour, day } = grains

/** The grains that can make up a granularity, longest first. */
function grainsOf(granularity: Granularity | undefined): readonly Grain[] {
  if (granularity === 'minute') return [minute]
  return granularity === 'hour' ? [hour, minute] : [day, hour, minute]
}

/**
 * The slots that cover a time range, in minutes since the epoch: long ones, and short ones at both ends if these are still
 * stored. Otherwise the long slot at the end counts whole.
 */
export function tilesOf(
  time: { from: number; to: number },
  granularity: Granularity | undefined,
  isKept: (grain: Grain, minute: number) => boolean,
): Tile[] {
  return cover(time.from, time.to, grainsOf(granularity), isKept)
}

function cover(from: number, to: number, all: readonly Grain[], isKept: (grain: Grain, at: number) => boolean): Tile[] {
  if (from >= to) return []
  const [grain, ...finer] = all
  const keptAt = (at: number) => finer.filter((one) => isKept(one, at))
  const last = Math.floor(to / grain!)
  const [head, tail] = [keptAt(from), keptAt(last * grain!)]
  const start = head.length > 0 ? Math.ceil(from / grain!) : Math.floor(from / grain!)
  const end = tail.length > 0 ? last : Math.ceil(to / grain!)
  if (start >= end) return cover(from, to, head, isKept)
  return [
    ...cover(from, start * grain!, head, isKept),
    { grain: grain!, from: start, to: end },
    ...cover(end * grain!, to, tail, isKept),
  ]
}

export const holds = ({ grain, from, to }: Tile, minute: number): boolean =>
  minute >= from * grain && minute < to * grain
