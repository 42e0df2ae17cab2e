import { type MonitoredIntern, monitorResources } from '../host/resource-monitor.ts'
import { type MonitoredDaemon, monitorDaemon } from './daemon-monitor.ts'

/**
 * Monitors a daemon and the resources of its intern. Calls `onEnd` once, with the first problem: a daemon that is ended
 * because its intern exceeds a limit is reported with the limit. @returns a function that stops the monitor.
 */
export function monitorIntern(
  daemon: MonitoredDaemon,
  intern: MonitoredIntern | undefined,
  onEnd: (reason: string) => void,
): () => void {
  let isActive = true
  const report = (reason: string) => {
    if (isActive) onEnd(reason)
    stop()
  }
  const stopDaemonMonitor = monitorDaemon(daemon, (reason) => report(reason))
  const end = (each: MonitoredIntern) => () => {
    stopDaemonMonitor()
    return each.end()
  }
  const stopResourceMonitor = intern && monitorResources({ ...intern, end: end(intern) }, (reason) => report(reason))
  const stop = () => {
    isActive = false
    stopDaemonMonitor()
    stopResourceMonitor?.()
  }
  return stop
}
