import { startReconciler } from '#platform/async/reconcile.ts'
import { isAlive, type ProcessId } from '../host/processes.ts'

/** A daemon that is monitored. */
export type MonitoredDaemon = {
  process: ProcessId | undefined
  /** How the process ended; undefined if that is unknown. The promise can resolve shortly after the end. */
  ending: () => Promise<string> | undefined
  /** Whether it answers within this time. */
  isResponding: (withinMs: number) => Promise<boolean>
  /** The time without an answer after which it counts as failed. */
  unresponsiveMs: number
}

const checkEveryMs = 200
/** The daemon counts as failed after this number of checks without an answer in a row. */
const maxMissedChecks = 4

/** Calls `onEnd` once, when the daemon has ended or does not answer. @returns a function that stops the monitor. */
export function monitorDaemon(daemon: MonitoredDaemon, onEnd: (reason: string) => void): () => void {
  const { process: monitored, unresponsiveMs } = daemon
  let isActive = true
  const stop = () => {
    isActive = false
    void reconciler.stop()
    stopChecks()
  }
  const report = (reason: string) => {
    if (isActive) onEnd(`The daemon ${reason}.`)
    stop()
  }

  const checkProcess = async () => {
    if (monitored && isAlive(monitored)) return checkEveryMs
    report((monitored && (await daemon.ending())) ?? 'has ended')
    return undefined
  }
  const onError = () => report('has ended')
  const reconciler = startReconciler(checkProcess, { firstMs: checkEveryMs, retryMs: checkEveryMs, onError })

  const stopChecks = monitorResponses(daemon.isResponding, unresponsiveMs, (reason) => {
    if (monitored && isAlive(monitored)) report(reason)
  })
  return stop
}

/**
 * Calls `onUnresponsive` when there has been no answer for `unresponsiveMs`, and after each further check without one.
 * @returns a function that stops the checks.
 */
export function monitorResponses(
  isResponding: (withinMs: number) => Promise<boolean>,
  unresponsiveMs: number,
  onUnresponsive: (reason: string) => void,
): () => void {
  const everyMs = unresponsiveMs / maxMissedChecks
  let missedChecks = 0
  const check = async (signal: AbortSignal) => {
    const nextAt = performance.now() + everyMs
    missedChecks = (await isResponding(everyMs)) ? 0 : missedChecks + 1
    if (missedChecks >= maxMissedChecks && !signal.aborted)
      onUnresponsive(`has not responded for ${unresponsiveMs / 1000} s`)
    // A refusal is immediate, but counts as one check.
    return Math.max(0, nextAt - performance.now())
  }
  const { stop } = startReconciler(check, { firstMs: everyMs, retryMs: everyMs, onError: () => {} })
  return () => void stop()
}
