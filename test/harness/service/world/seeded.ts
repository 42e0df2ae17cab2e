/** Reproducible random numbers: the same seed gives the same history. */
export class Seeded {
  #state: number

  constructor(seed: number) {
    this.#state = (seed * 2654435761 + 12345) >>> 0
    for (let i = 0; i < 3; i++) this.next()
  }

  /** A number from 0 to below 1. */
  next(): number {
    // Mulberry32: a few shifts, and no pattern that affects a test.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** A whole number from `min` to `max`. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)]!
  }
}
