/** A daemon that dies is started again, at first soon. */
const backoff = { firstMs: 500, mostMs: 60_000, forgottenAfterMs: 60_000 }

/** State in memory of an intern that this server supervises: the monitor of its daemon, and the next restart. */
export class SupervisedIntern {
  #unwatch = () => {}
  #restart: NodeJS.Timeout | undefined
  #restartDue = false
  #failures = 0
  #startedAt = 0

  /** The daemon runs, and what watched or was to restart the one before has been released. */
  started(unwatch: () => void): void {
    this.#unwatch = unwatch
    this.#startedAt = performance.now()
  }

  /** The daemon has ended: calls `restart` after `afterMs`, by default later with each failure in a row. */
  failed(restart: () => void, afterMs?: number): void {
    this.release()
    if (performance.now() - this.#startedAt > backoff.forgottenAfterMs) this.#failures = 0
    const delayMs = afterMs ?? Math.min(backoff.firstMs * 2 ** this.#failures, backoff.mostMs)
    this.#failures++
    this.#restart = setTimeout(() => {
      this.#restartDue = true
      restart()
    }, delayMs).unref()
  }

  /** @returns whether the time of the restart has come; once for each. */
  takeRestart(): boolean {
    const due = this.#restartDue
    this.#restartDue = false
    return due
  }

  /** Ends the watch, and forgets a restart. */
  release(): void {
    this.#unwatch()
    this.#unwatch = nothing
    clearTimeout(this.#restart)
    this.#restartDue = false
  }
}

const nothing = () => {}
