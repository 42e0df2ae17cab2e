import type { LiveRun } from './live-run.ts'

/** The longest a timer is trusted: what it looks at is the clock. */
const longestLookMs = 1000

/**
 * Ends the runs whose questions were not answered in time, or that have worked as long as they may. `watch` is called
 * whenever a run begins to wait, or to work where that is limited, and `look`
 * by whoever cannot wait for the timer.
 */
export function watchDeadlines(now: () => number, runs: () => Iterable<LiveRun>) {
  let timer: NodeJS.Timeout | undefined

  const watch = () => {
    clearTimeout(timer)
    const deadlines = [...runs()].map((run) => run.endsAt()).filter((at) => at !== undefined)
    if (deadlines.length === 0) return
    const untilNext = Math.min(...deadlines) - now()
    timer = setTimeout(look, Math.min(Math.max(untilNext, 1), longestLookMs))
  }
  const look = () => {
    for (const run of runs()) run.tick(now())
    watch()
  }
  return { watch, look, stop: () => clearTimeout(timer) }
}
