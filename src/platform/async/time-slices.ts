/**
 * Divides time on the event loop into slices that many callers share. A caller that has used up the slice waits until other
 * events have been handled. For work of one caller, `runInSlices` in `long-work.ts` is simpler.
 */
export class TimeSlices {
  readonly #ms: number
  readonly #now: () => number
  #endsAt = 0
  /** Resolves when the next slice starts. Undefined while nobody waits for one. */
  #nextSlice: Promise<void> | undefined

  constructor(ms: number, now: () => number = () => performance.now()) {
    this.#ms = ms
    this.#now = now
  }

  /**
   * @returns a promise to wait for before continuing; undefined while there is time left. A caller must wait only once and then
   * work, even if other callers have used up the next slice meanwhile: otherwise it could wait forever.
   */
  waitIfUsedUp(): Promise<void> | undefined {
    // A new caller waits with those that already wait.
    if (this.#nextSlice) return this.#nextSlice
    if (this.#endsAt === 0) this.#start()
    if (this.#now() < this.#endsAt) return undefined
    this.#nextSlice = new Promise((resolve) => {
      setImmediate(() => {
        this.#nextSlice = undefined
        this.#start()
        resolve()
      })
    })
    return this.#nextSlice
  }

  /** Starts a slice. It ends after `#ms`, or earlier when the event loop handles other events. */
  #start(): void {
    const endsAt = this.#now() + this.#ms
    this.#endsAt = endsAt
    setImmediate(() => {
      if (this.#endsAt === endsAt) this.#endsAt = 0
    })
  }
}
