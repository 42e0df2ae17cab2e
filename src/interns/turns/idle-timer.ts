/** Acts when nothing was heard for a while. */
export class IdleTimer {
  readonly #ms: number
  readonly #timer: NodeJS.Timeout

  constructor(ms: number, act: () => void) {
    this.#ms = ms
    this.#timer = setTimeout(act, this.#ms)
    this.#timer.unref()
  }

  /** Something was heard: it begins anew. */
  heard(): void {
    this.#timer.refresh()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
