import { setImmediate as nextTurn } from 'node:timers/promises'

/** The most answers that one process reads at once for clients that disconnected. */
const maxReads = 64

/** Reads of answers whose clients have disconnected, limited in number and time. */
export class BackgroundReads {
  readonly #maxMs: number
  readonly #aborts = new Set<() => void>()
  #isClosed = false

  /** @param maxMs the longest time of a read; 0 for no reads. */
  constructor(maxMs: number) {
    this.#maxMs = maxMs
  }

  /**
   * Starts a read. @param abort is called when its time is over.
   * @returns a function to call at its end; undefined if it cannot start.
   */
  start(abort: () => void): (() => void) | undefined {
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
    await nextTurn()
  }
}
