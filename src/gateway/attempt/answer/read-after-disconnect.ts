import type { AttemptRequest } from '../attempt-request.ts'

/** The maximum number of bytes that are read after the end of an answer to find its usage. */
const maxUsageBytes = 1024 * 1024

/** The maximum number of bytes that are read of an unfinished answer after its client disconnected. */
const maxBackgroundBytes = 8 * 1024 * 1024

/** Limits the reading of an answer whose client disconnected, by bytes and by time. */
export class ReadAfterDisconnect {
  readonly #attempt: Pick<AttemptRequest, 'backgroundRead' | 'timeouts'>
  #remainingBytes = Number.POSITIVE_INFINITY
  #usageTimer: NodeJS.Timeout | undefined
  #releaseSlot: (() => void) | undefined

  constructor(attempt: Pick<AttemptRequest, 'backgroundRead' | 'timeouts'>) {
    this.#attempt = attempt
  }

  /** Starts to read a finished answer to its usage, which comes last. @param abort is called after the time limit. */
  startUsage(abort: () => void): void {
    this.#remainingBytes = maxUsageBytes
    this.#usageTimer = setTimeout(abort, this.#attempt.timeouts.usageMs)
  }

  /**
   * Starts to read an unfinished answer, if only its usage shows what it costs.
   * @param abort is called after the time limit.
   * @returns false if the answer is not read.
   */
  startAnswer(abort: () => void): boolean {
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

  end(): void {
    clearTimeout(this.#usageTimer)
    this.#releaseSlot?.()
  }
}
