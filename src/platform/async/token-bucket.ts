/** A token bucket: `perSecond` is the rate, `atOnce` the burst. */
export class TokenBucket {
  readonly #perSecond: number
  readonly #atOnce: number
  readonly #now: () => number
  #left: number
  #at: number

  constructor(perSecond: number, atOnce: number, now: () => number) {
    this.#perSecond = perSecond
    this.#atOnce = atOnce
    this.#now = now
    this.#left = atOnce
    this.#at = now()
  }

  /** @returns the delay until the next item may be taken, in milliseconds. */
  take(amount: number): number {
    if (this.#left < amount) {
      const at = this.#now()
      this.#left = Math.min(this.#atOnce, this.#left + ((at - this.#at) * this.#perSecond) / 1000)
      this.#at = at
    }
    this.#left -= amount
    return this.#left >= 0 ? 0 : Math.ceil((-this.#left * 1000) / this.#perSecond)
  }
}
