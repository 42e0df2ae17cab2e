/** Chance that is the same for the same seed. */
export type Chance = {
  /** From 0 up to, not including, 1. */
  next: () => number
  /** An integer from 0 up to, not including, `below`. */
  below: (limit: number) => number
  often: (share: number) => boolean
  pick: <T>(items: readonly T[]) => T
}

/** Mulberry32: small, and random enough to be a nuisance. */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { next, below, often: (share) => next() < share, pick: (items) => items[below(items.length)]! }
}
