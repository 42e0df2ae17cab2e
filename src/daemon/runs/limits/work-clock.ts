/** Counts the working time of a run, without pauses. Starts paused. */
export class WorkClock {
  readonly #monotonicNow: () => number
  #workedMs = 0
  #workingSince: number | undefined

  /** @param monotonicNow a monotonic clock, in milliseconds. */
  constructor(monotonicNow: () => number) {
    this.#monotonicNow = monotonicNow
  }

  /** Starts or pauses the clock. */
  setWorking(isWorking: boolean): void {
    const now = this.#monotonicNow()
    if (isWorking) this.#workingSince ??= now
    else if (this.#workingSince !== undefined) {
      this.#workedMs += now - this.#workingSince
      this.#workingSince = undefined
    }
  }

  /** The time of the monotonic clock at which the working time reaches `ms`; undefined while paused. */
  timeWhenReached(ms: number): number | undefined {
    return this.#workingSince === undefined ? undefined : this.#workingSince + ms - this.#workedMs
  }
}
