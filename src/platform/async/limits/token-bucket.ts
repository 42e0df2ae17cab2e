type TokenBucketOptions = {
  perSecond: number
  capacity: number
  /** A clock, in milliseconds. */
  now: () => number
}

/** A token bucket: refilled at `perSecond`, up to `capacity`. */
export class TokenBucket {
  readonly #perSecond: number
  readonly #capacity: number
  readonly #now: () => number
  #tokens: number
  #refilledAt: number

  constructor({ perSecond, capacity, now }: TokenBucketOptions) {
    this.#perSecond = perSecond
    this.#capacity = capacity
    this.#now = now
    this.#tokens = capacity
    this.#refilledAt = now()
  }

  /**
   * Takes tokens, even if fewer are available: later callers then wait longer. A negative amount returns tokens.
   * @returns the delay in milliseconds until the taken tokens are refilled.
   */
  take(amount: number): number {
    const at = this.#now()
    const refilled = this.#tokens + ((at - this.#refilledAt) * this.#perSecond) / 1000
    this.#tokens = Math.min(this.#capacity, refilled) - amount
    this.#refilledAt = at
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1000) / this.#perSecond)
  }
}
