/** A comparison of the clocks: how far the database's clock is ahead, with an error of half the round trip. */
export type ClockSample = { offsetMs: number; roundTripMs: number }

/** Smaller differences are ignored, because comparisons on a loaded machine are not more exact. */
const tolerableMs = 1000

/** The offset of the database's clock from this server's, by the latest comparison that is exact enough. */
export class ClockOffset {
  readonly #onSkew: (offsetMs: number) => void
  #offsetMs = 0
  #isSkewed = false

  /** @param onSkew is called when the difference exceeds the tolerance. */
  constructor(onSkew: (offsetMs: number) => void) {
    this.#onSkew = onSkew
  }

  /** The correction for this server's clock, in milliseconds; 0 for a tolerable difference. */
  get correctionMs(): number {
    return this.#isSkewed ? this.#offsetMs : 0
  }

  add({ offsetMs, roundTripMs }: ClockSample): void {
    const isExact = roundTripMs >= 0 && roundTripMs < tolerableMs / 2
    if (!isExact) return
    this.#offsetMs = Math.round(offsetMs)
    const wasSkewed = this.#isSkewed
    this.#isSkewed = Math.abs(offsetMs) > tolerableMs
    if (this.#isSkewed && !wasSkewed) this.#onSkew(this.#offsetMs)
  }
}
