import { setImmediate as nextEventLoopTurn } from 'node:timers/promises'

/** The most responses that one process reads at once for clients that disconnected. */
const maxReads = 64

/** Limits the number and the time of reads of responses whose clients have disconnected. A reader takes a slot for each. */
export class BackgroundReadSlots {
  readonly #maxMs: number
  readonly #aborts = new Set<() => void>()
  #isClosed = false

  /** @param maxMs the longest time of a read; 0 for no reads. */
  constructor(maxMs: number) {
    this.#maxMs = maxMs
  }

  /**
   * Takes a slot for a read. @param abort is called when the time of the read is over.
   * @returns a function that releases the slot at the end of the read; undefined if no slot is free.
   */
  take(abort: () => void): (() => void) | undefined {
    if (this.#isClosed || this.#maxMs === 0 || this.#aborts.size >= maxReads) return undefined
    const timer = setTimeout(abort, this.#maxMs)
    this.#aborts.add(abort)
    return () => {
      clearTimeout(timer)
      this.#aborts.delete(abort)
    }
  }

  /** Aborts all reads. Resolves when their requests are metered. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const abort of this.#aborts) abort()
    // Aborted reads end and meter their requests in callbacks that run before the next turn of the event loop.
    await nextEventLoopTurn()
  }
}
