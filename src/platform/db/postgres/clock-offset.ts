/** One comparison of the clocks: how far the database's is ahead, uncertain by half of the round trip. */
export type ClockSample = { offsetMs: number; roundTripMs: number }

/** Below this difference a server keeps its own time: comparisons are not more exact on a loaded machine. */
const tolerableMs = 1000

/** How far the database's clock is ahead of this server's, by the latest comparison that is exact enough. */
export class ClockOffset {
  readonly #onSkew: (offsetMs: number) => void
  #offsetMs = 0
  #isSkewed = false

  /** @param onSkew is called when the clocks begin to differ by more than is tolerable. */
  constructor(onSkew: (offsetMs: number) => void) {
    this.#onSkew = onSkew
  }

  /** To be added to this server's clock; 0 while the difference is tolerable. */
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
