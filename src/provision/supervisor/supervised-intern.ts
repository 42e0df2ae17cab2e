import { backoffDelay } from '#platform/async/backoff.ts'

/** The delays before a daemon that ended is restarted. */
const backoff = { firstMs: 500, maxMs: 60_000 }
/** A daemon that ran for this time has started successfully. */
const resetAfterMs = 60_000

/** State in memory of an intern that this server supervises: the monitor of its daemon, and the next restart. */
export class SupervisedIntern {
  #unwatch = () => {}
  #restartTimer: NodeJS.Timeout | undefined
  #isRestartDue = false
  #failures = 0
  #startedAt = 0

  /**
   * Called when the daemon runs, after `endWatch` for the previous one.
   * @param unwatch ends the watch of this daemon; called by `endWatch`.
   */
  recordStart(unwatch: () => void): void {
    this.#unwatch = unwatch
    this.#startedAt = performance.now()
  }

  /** Calls `restart` after `afterMs`, by default with exponential back-off. Ends the watch of the daemon that has ended. */
  scheduleRestart(restart: () => void, afterMs?: number): void {
    this.endWatch()
    if (performance.now() - this.#startedAt > resetAfterMs) this.#failures = 0
    this.#failures++
    const delayMs = afterMs ?? backoffDelay(backoff, this.#failures)
    this.#restartTimer = setTimeout(() => {
      this.#isRestartDue = true
      restart()
    }, delayMs).unref()
  }

  /** @returns true once for each restart that is due. */
  takeRestart(): boolean {
    const isDue = this.#isRestartDue
    this.#isRestartDue = false
    return isDue
  }

  /** Ends the watch and cancels a restart. */
  endWatch(): void {
    this.#unwatch()
    this.#unwatch = () => {}
    clearTimeout(this.#restartTimer)
    this.#isRestartDue = false
  }
}
