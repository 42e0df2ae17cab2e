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
 * A deadline that every sign of life moves. All of them share one timer of Node's, set for the first that may be due:
 * most are moved or stopped long before, and a timer for each would be the largest part of their cost.
 */
export class IdleTimer {
  readonly #expire: () => void
  #dueAt = 0
  /** Its place among those that run; -1 while it does not. */
  #at = -1

  constructor(expire: () => void) {
    this.#expire = expire
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

  /** Fires those that are due. @returns when the next one is, by `performance.now()`. */
  static look(now: number): number {
    let next = Number.POSITIVE_INFINITY
    for (const timer of running.slice()) {
      // A timer that fired before this one may have stopped it.
      if (timer.#at === -1) continue
      if (timer.#dueAt <= now + 1) {
        timer.stop()
        timer.#expire()
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
  // A timer that was started meanwhile may be due sooner.
  if (next < looksAt) lookAt(next, next - now)
}
