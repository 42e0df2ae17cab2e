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
 * A deadline that every sign of life moves. All of them share one timer, which looks when the first may be due: most are
 * moved or stopped long before, and a timer for each would cost more than all else about them.
 */
export class IdleTimer {
  readonly #broken: () => void
  #dueAt = 0
  /** Its place among those that run; -1 while it does not. */
  #at = -1

  constructor(broken: () => void) {
    this.#broken = broken
  }

  start(ms: number): void {
    this.#dueAt = performance.now() + ms
    if (this.#at === -1) this.#at = running.push(this) - 1
    if (this.#dueAt < looksAt) lookAt(this.#dueAt, ms)
  }

  stop(): void {
    if (this.#at === -1) return
    const last = running.pop()!
    if (last !== this) {
      running[this.#at] = last
      last.#at = this.#at
    }
    this.#at = -1
  }

  /** Breaks those that are due. @returns when the next one is. */
  static look(now: number): number {
    let next = Number.POSITIVE_INFINITY
    for (const timer of running.slice()) {
      // One that broke before it may have stopped it.
      if (timer.#at === -1) continue
      if (timer.#dueAt <= now + 1) {
        timer.stop()
        timer.#broken()
      } else if (timer.#dueAt < next) next = timer.#dueAt
    }
    return next
  }
}

const running: IdleTimer[] = []
let looksAt = Number.POSITIVE_INFINITY
let looking: NodeJS.Timeout | undefined

function lookAt(at: number, inMs: number): void {
  clearTimeout(looking)
  looksAt = at
  looking = setTimeout(look, inMs).unref()
}

function look(): void {
  looksAt = Number.POSITIVE_INFINITY
  const now = performance.now()
  const next = IdleTimer.look(now)
  // One that was started meanwhile may be due before.
  if (next < looksAt) lookAt(next, next - now)
}
