import type { LiveRun } from '../live-run.ts'

/** The longest delay of a timer. Each time it fires, the deadlines are compared with the monotonic clock. */
const maxTimerMs = 1000

/** Ends runs whose question was not answered in time, and runs that reached their time limit. */
export class DeadlineTimer {
  readonly #monotonicNow: () => number
  readonly #runs: () => Iterable<LiveRun>
  #timer: NodeJS.Timeout | undefined

  /** @param runs returns the runs in progress. */
  constructor(monotonicNow: () => number, runs: () => Iterable<LiveRun>) {
    this.#monotonicNow = monotonicNow
    this.#runs = runs
  }

  /** Sets the timer for the next deadline. Call this when a run starts to wait, or to work with a time limit. */
  schedule(): void {
    clearTimeout(this.#timer)
    const deadlines = [...this.#runs()].map((run) => run.deadline()).filter((at) => at !== undefined)
    if (deadlines.length === 0) return
    const untilNextMs = Math.min(...deadlines) - this.#monotonicNow()
    this.#timer = setTimeout(() => this.check(), Math.min(Math.max(untilNextMs, 1), maxTimerMs))
  }

  /** Compares the deadlines now, without waiting for the timer. */
  check(): void {
    for (const run of this.#runs()) run.tick(this.#monotonicNow())
    this.schedule()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
