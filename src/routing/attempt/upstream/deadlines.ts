/** Time limits for an upstream, in milliseconds. */
export type Deadlines = {
  /** From the request to the first byte of the answer, the connection included. */
  firstByteMs: number
  /** Between two pieces of an answer. */
  silenceMs: number
  /** From the leaving of a client that had read its answer to the end, to the usage that follows it. */
  usageMs: number
}

/**
 * A deadline that every sign of life moves. Moving it is cheap: one timer looks at the time that was set last, instead
 * of a new timer for each piece of every stream.
 */
export class IdleTimer {
  #timer: NodeJS.Timeout | undefined
  #looksAt = 0
  #dueAt = 0
  readonly #broken: () => void

  constructor(broken: () => void) {
    this.#broken = broken
  }

  start(ms: number): void {
    this.#dueAt = performance.now() + ms
    if (this.#timer && this.#looksAt <= this.#dueAt) return
    clearTimeout(this.#timer)
    this.#lookIn(ms)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #lookIn(ms: number): void {
    this.#looksAt = performance.now() + ms
    this.#timer = setTimeout(() => this.#look(), ms)
  }

  #look(): void {
    const left = this.#dueAt - performance.now()
    this.#timer = undefined
    if (left > 1) this.#lookIn(left)
    else this.#broken()
  }
}
