import { isAlive, type ProcessId } from '../host/processes.ts'

/** A daemon that is monitored. */
export type MonitoredDaemon = {
  process: ProcessId | undefined
  /** How it ended, if that is known. It can resolve shortly after the end. */
  ending: () => Promise<string> | undefined
  /** Whether it answers within this time. */
  answers: (withinMs: number) => Promise<boolean>
  /** The time without an answer after which it counts as failed. */
  unresponsiveMs: number
}

const checkEveryMs = 200
/** The number of checks within that time, so that a single failed one does not count. */
const checks = 4

/** Calls `onEnd` once, when the daemon has ended or does not answer. @returns a function that stops the monitor. */
export function monitorDaemon(daemon: MonitoredDaemon, onEnd: (reason: string) => void): () => void {
  const { process: monitored, unresponsiveMs } = daemon
  let isActive = true
  const stop = () => {
    isActive = false
    clearInterval(looking)
    stopChecks()
  }
  const report = (reason: string) => {
    if (isActive) onEnd(`The daemon ${reason}.`)
    stop()
  }

  const looking = setInterval(async () => {
    if (monitored && isAlive(monitored)) return
    clearInterval(looking)
    report((monitored && (await daemon.ending())) ?? 'has ended')
  }, checkEveryMs).unref()

  const stopChecks = monitorAnswers(daemon.answers, unresponsiveMs, (reason) => {
    if (monitored && isAlive(monitored)) report(reason)
  })
  return stop
}

/**
 * Calls `onSilence` when there has been no answer for `unresponsiveMs`, and after each further check without one.
 * @returns a function that stops the checks.
 */
export function monitorAnswers(
  answers: (withinMs: number) => Promise<boolean>,
  unresponsiveMs: number,
  onSilence: (reason: string) => void,
): () => void {
  const everyMs = unresponsiveMs / checks
  let isActive = true
  let unanswered = 0
  const check = async () => {
    const nextAt = performance.now() + everyMs
    unanswered = (await answers(everyMs)) ? 0 : unanswered + 1
    if (!isActive) return
    // A refusal is immediate, but counts as one check.
    timer = setTimeout(check, Math.max(0, nextAt - performance.now())).unref()
    if (unanswered >= checks) onSilence(`has not answered for ${unresponsiveMs / 1000} s`)
  }
  let timer = setTimeout(check, everyMs).unref()
  return () => {
    isActive = false
    clearTimeout(timer)
  }
}
