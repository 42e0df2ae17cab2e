import { createTerminalText } from '../sandbox/terminal-text.ts'

const intervalMs = 1000
/** Clients assume that an agent hangs if it reports nothing for a long time. */
const silentIntervals = 15
const maxProgressBytes = 4000

/**
 * Reports the last output of a running command, at most once a second. Without new output it reports from time to time
 * that the command is running. `stop` ends the reports.
 */
export function reportProgress(report: (output?: string) => void) {
  const output = createTerminalText({ head: 0, tail: maxProgressBytes })
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
