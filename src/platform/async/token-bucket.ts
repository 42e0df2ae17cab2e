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

  /** @returns the delay in milliseconds until `amount` tokens are available. Negative amounts return tokens. */
  take(amount: number): number {
    if (this.#tokens < amount) {
      const at = this.#now()
      this.#tokens = Math.min(this.#capacity, this.#tokens + ((at - this.#refilledAt) * this.#perSecond) / 1000)
      this.#refilledAt = at
    }
    this.#tokens -= amount
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1000) / this.#perSecond)
  }
}
