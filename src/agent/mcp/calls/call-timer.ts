import type { Now } from '#platform/core/clock.ts'

/** `timeoutMs` is the time without progress, `maxTotalMs` that of the whole call. */
type CallLimits = { timeoutMs: number; maxTotalMs: number }

/** Limits the time of a call, without the time in which it waits for the user. */
export class CallTimer {
  readonly #limits: CallLimits
  readonly #onTimeout: (isTotalTimeout: boolean) => void
  readonly #now: Now
  #timer: NodeJS.Timeout | undefined
  #startedAt = 0
  #spentMs = 0
  #pauseCount = 0

  /** @param onTimeout is called once; `isTotalTimeout`: `maxTotalMs` has passed, not only `timeoutMs`. */
  constructor(limits: CallLimits, now: Now, onTimeout: (isTotalTimeout: boolean) => void) {
    this.#limits = limits
    this.#now = now
    this.#onTimeout = onTimeout
    this.#start()
  }

  get isPaused(): boolean {
    return this.#pauseCount > 0
  }

  /** Restarts the timeout, because the call made progress. */
  restart(): void {
    if (this.isPaused) return
    this.end()
    this.#start()
  }

  pause(): void {
    if (!this.isPaused) this.end()
    this.#pauseCount++
  }

  resume(): void {
    this.#pauseCount--
    if (!this.isPaused) this.#start()
  }

  end(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#spentMs += this.#now() - this.#startedAt
  }

  #start(): void {
    const { timeoutMs, maxTotalMs } = this.#limits
    const remainingMs = maxTotalMs - this.#spentMs
    this.#startedAt = this.#now()
    this.#timer = setTimeout(() => this.#onTimeout(remainingMs < timeoutMs), Math.min(timeoutMs, remainingMs))
  }
}
