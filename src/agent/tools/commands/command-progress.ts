import { TerminalText } from '../../sandbox/terminal-text.ts'
import { heartbeatMs } from '../tool.ts'

const intervalMs = 1000
const maxProgressBytes = 4000

/**
 * Reports the last output of a running command, at most once a second. Without new output it reports from time to time
 * that the command is running. `stop` ends the reports.
 */
export function reportProgress(report: (output?: string) => void) {
  const output = new TerminalText({ head: 0, tail: maxProgressBytes })
  let reportedBytes = 0
  let silentMs = 0
  report()
  const timer = setInterval(() => {
    const hasMore = output.totalBytes > reportedBytes
    silentMs += intervalMs
    if (!hasMore && silentMs < heartbeatMs) return
    reportedBytes = output.totalBytes
    silentMs = 0
    report(hasMore ? output.text() : undefined)
  }, intervalMs)
  return { add: (bytes: Buffer) => output.add(bytes), stop: () => clearInterval(timer) }
}
