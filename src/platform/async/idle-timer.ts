/**
 * A deadline that is postponed at every activity. All instances share one timer of Node, set for the earliest deadline.
 * Most deadlines are postponed or stopped long before they expire, so the shared timer rarely has to be set again. A running
 * timer does not keep the process alive.
 */
export class IdleTimer {
  readonly #expire: () => void
  #dueAt = 0
  /** The index in `running`; -1 while the timer is stopped. */
  #index = -1

  constructor(expire: () => void) {
    this.#expire = expire
  }

  /** Starts the timer, or moves its deadline. */
  start(ms: number): void {
    this.#dueAt = performance.now() + ms
    if (this.#index === -1) this.#index = running.push(this) - 1
    if (this.#dueAt < nextCheckAt) scheduleCheck(this.#dueAt, ms)
  }

  stop(): void {
    if (this.#index === -1) return
    const last = running.pop()!
    if (last !== this) {
      running[this.#index] = last
      last.#index = this.#index
    }
    this.#index = -1
  }

  /** Fires the expired timers. @returns the next deadline, by `performance.now()`. */
  static fireExpired(now: number): number {
    let nextDueAt = Number.POSITIVE_INFINITY
    for (const timer of running.slice()) {
      // A timer that expired earlier in this loop may have stopped `timer`.
      if (timer.#index === -1) continue
      // One millisecond of tolerance, because Node rounds delays to milliseconds and can call `check` slightly early.
      if (timer.#dueAt <= now + 1) {
        timer.stop()
        timer.#expire()
      } else if (timer.#dueAt < nextDueAt) nextDueAt = timer.#dueAt
    }
    return nextDueAt
  }
}

const running: IdleTimer[] = []
let nextCheckAt = Number.POSITIVE_INFINITY
let scheduledCheck: NodeJS.Timeout | undefined

function scheduleCheck(at: number, delayMs: number): void {
  clearTimeout(scheduledCheck)
  nextCheckAt = at
  scheduledCheck = setTimeout(check, delayMs).unref()
}

function check(): void {
  nextCheckAt = Number.POSITIVE_INFINITY
  const now = performance.now()
  // If a timer throws, the next check fires the other expired timers.
  let nextDueAt = now
  try {
    nextDueAt = IdleTimer.fireExpired(now)
  } finally {
    // A timer that was started meanwhile can have scheduled an earlier check.
    if (nextDueAt < nextCheckAt) scheduleCheck(nextDueAt, nextDueAt - now)
  }
}
