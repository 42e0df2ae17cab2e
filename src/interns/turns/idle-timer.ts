/** Calls `act` after a time without output. */
export class IdleTimer {
  readonly #ms: number
  readonly #timer: NodeJS.Timeout

  constructor(ms: number, act: () => void) {
    this.#ms = ms
    this.#timer = setTimeout(act, this.#ms)
    this.#timer.unref()
  }

  /** Restarts the timer. */
  restart(): void {
    this.#timer.refresh()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
