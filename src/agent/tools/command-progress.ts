import { terminalText } from '../sandbox/terminal-text.ts'

const intervalMs = 1000
/** A client takes an agent that reports nothing for long for one that hangs. */
const silentIntervals = 15
const maxProgressBytes = 4000

/**
 * Reports the end of a command's output while it runs, at most once a second, and without new output that it still runs.
 * `stop` ends the reports.
 */
export function commandProgress(report: (output?: string) => void) {
  const output = terminalText({ head: 0, tail: maxProgressBytes })
  let [reportedBytes, silent] = [0, 0]
  report()
  const timer = setInterval(() => {
    const hasMore = output.total() > reportedBytes
    if (!hasMore && ++silent < silentIntervals) return
    reportedBytes = output.total()
    silent = 0
    report(hasMore ? output.text() : undefined)
  }, intervalMs)
  return { add: output.add, stop: () => clearInterval(timer) }
}
