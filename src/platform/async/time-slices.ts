/**
 * Divides time on the event loop into slices that many callers share. A caller that has used up the slice waits until other
 * events have been handled.
 */
export class TimeSlices {
  readonly #ms: number
  readonly #now: () => number
  #endsAt = 0
  #next: Promise<void> | undefined

  constructor(ms: number, now: () => number = () => performance.now()) {
    this.#ms = ms
    this.#now = now
  }

  /**
   * @returns a promise to wait for before continuing; undefined while there is time left. A caller must wait only once and then
   * work, even if other callers have used up the next slice meanwhile.
   */
  waitIfUsedUp(): Promise<void> | undefined {
    // A new caller waits with those that already wait.
    if (this.#next) return this.#next
    if (this.#endsAt === 0) this.#start()
    if (this.#now() < this.#endsAt) return undefined
    this.#next = new Promise((resolve) => {
      setImmediate(() => {
        this.#next = undefined
        this.#start()
        resolve()
      })
    })
    return this.#next
  }

  /** Starts a slice. It also ends when the event loop continues. */
  #start(): void {
    const endsAt = this.#now() + this.#ms
    this.#endsAt = endsAt
    setImmediate(() => {
      if (this.#endsAt === endsAt) this.#endsAt = 0
    })
  }
}
