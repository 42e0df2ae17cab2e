import type { AttemptRequest } from '../attempt-request.ts'

/** The maximum number of bytes that are read after the finish event of a response to find its usage. */
const maxUsageBytes = 1024 * 1024

/** The maximum number of bytes that are read of an unfinished response after its client disconnected. */
const maxBackgroundBytes = 8 * 1024 * 1024

/** Limits the reading of a response whose client disconnected, by bytes and by time. */
export class ReadAfterDisconnect {
  readonly #attempt: Pick<AttemptRequest, 'backgroundRead' | 'timeouts'>
  #remainingBytes = Number.POSITIVE_INFINITY
  #usageTimer: NodeJS.Timeout | undefined
  #releaseSlot: (() => void) | undefined

  constructor(attempt: Pick<AttemptRequest, 'backgroundRead' | 'timeouts'>) {
    this.#attempt = attempt
  }

  /** Starts to read the usage that follows the finish event. @param abort is called after the time limit. */
  startReadingUsage(abort: () => void): void {
    this.#remainingBytes = maxUsageBytes
    this.#usageTimer = setTimeout(abort, this.#attempt.timeouts.usageMs)
  }

  /**
   * Starts to read the rest of an unfinished response if its cost is unknown without its usage.
   * @param abort is called after the time limit.
   * @returns false if the rest must not be read.
   */
  startReadingRest(abort: () => void): boolean {
    const { backgroundRead } = this.#attempt
    if (!backgroundRead?.isNeeded()) return false
    this.#remainingBytes = maxBackgroundBytes
    this.#releaseSlot = backgroundRead.slots.take(abort)
    return this.#releaseSlot !== undefined
  }

  /** Counts received bytes. @returns false if they exceed the limit. */
  accepts(bytes: number): boolean {
    this.#remainingBytes -= bytes
    return this.#remainingBytes >= 0
  }

  /** Stops the timer and releases the slot. */
  dispose(): void {
    clearTimeout(this.#usageTimer)
    this.#releaseSlot?.()
  }
}
