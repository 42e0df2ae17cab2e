/**
 * Slices of time on the event loop for many pieces of work together. A caller that finds the slice used up waits until
 * all other events have been handled.
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
   * @returns what to wait for before going on; undefined while there is time left. It is waited for once: who looked
   * again instead of doing a piece of its work would find the slice used up by whoever came first, each time.
   */
  used(): Promise<void> | undefined {
    // A caller that begins while others wait, waits with them.
    if (this.#next) return this.#next
    if (this.#endsAt === 0) this.#begin()
    if (this.#now() < this.#endsAt) return undefined
    this.#next = new Promise((resolve) => {
      setImmediate(() => {
        this.#next = undefined
        this.#begin()
        resolve()
      })
    })
    return this.#next
  }

  /** A slice is over, too, when the event loop goes on by itself. */
  #begin(): void {
    const endsAt = this.#now() + this.#ms
    this.#endsAt = endsAt
    setImmediate(() => {
      if (this.#endsAt === endsAt) this.#endsAt = 0
    })
  }
}
