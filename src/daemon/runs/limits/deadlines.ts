import type { LiveRun } from '../live-run.ts'

/** The longest delay of a timer. Each time it fires, the deadlines are compared with the monotonic clock. */
const maxTimerMs = 1000

/**
 * Ends runs whose question was not answered in time, and runs that reached their time limit. `schedule` must be called when
 * a run starts to wait, or to work with a time limit. `check` compares the deadlines now, without waiting for the timer.
 */
export function watchDeadlines(elapsed: () => number, runs: () => Iterable<LiveRun>) {
  let timer: NodeJS.Timeout | undefined

  const schedule = () => {
    clearTimeout(timer)
    const deadlines = [...runs()].map((run) => run.deadline()).filter((at) => at !== undefined)
    if (deadlines.length === 0) return
    const untilNext = Math.min(...deadlines) - elapsed()
    timer = setTimeout(check, Math.min(Math.max(untilNext, 1), maxTimerMs))
  }
  const check = () => {
    for (const run of runs()) run.tick(elapsed())
    schedule()
  }
  return { schedule, check, stop: () => clearTimeout(timer) }
}
