import { type MonitoredIntern, monitorResources } from '../host/resource-monitor.ts'
import { type MonitoredDaemon, monitorDaemon } from './daemon-monitor.ts'

/**
 * Watches a daemon and the resources of its intern. Calls `gone`, once, with the first thing that went wrong: a daemon
 * that is ended because its intern exceeds a limit has not ended by itself. @returns the way to stop watching.
 */
export function monitorIntern(
  daemon: MonitoredDaemon,
  intern: MonitoredIntern | undefined,
  gone: (reason: string) => void,
): () => void {
  let watched = true
  const tell = (reason: string) => {
    if (watched) gone(reason)
    stop()
  }
  const stopDaemonMonitor = monitorDaemon(daemon, (reason) => tell(reason))
  const end = (each: MonitoredIntern) => () => {
    stopDaemonMonitor()
    return each.end()
  }
  const stopResourceMonitor = intern && monitorResources({ ...intern, end: end(intern) }, (reason) => tell(reason))
  const stop = () => {
    watched = false
    stopDaemonMonitor()
    stopResourceMonitor?.()
  }
  return stop
}
