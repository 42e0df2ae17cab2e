import { isAlive, type ProcessId } from '../host/processes.ts'

/** A daemon as its watcher sees it. */
export type MonitoredDaemon = {
  process: ProcessId | undefined
  /** The way it ended, if that can be known. The answer may come a moment after the daemon is gone. */
  ending: () => Promise<string> | undefined
  /** Whether it answers within this time. */
  answers: (withinMs: number) => Promise<boolean>
  /** The longest time that it may fail to answer. */
  unresponsiveMs: number
}

const lookEveryMs = 200
/** It is asked this often within the time it may fail to answer, so that no single hiccup counts. */
const asks = 4

/** Calls `gone`, once, when the daemon has ended or answers no more. @returns the way to stop watching. */
export function monitorDaemon(daemon: MonitoredDaemon, gone: (reason: string) => void): () => void {
  const { process: monitored, unresponsiveMs } = daemon
  let watched = true
  const stop = () => {
    watched = false
    clearInterval(looking)
    stopAsking()
  }
  const tell = (reason: string) => {
    if (watched) gone(`The daemon ${reason}.`)
    stop()
  }

  const looking = setInterval(async () => {
    if (monitored && isAlive(monitored)) return
    clearInterval(looking)
    tell((monitored && (await daemon.ending())) ?? 'is gone')
  }, lookEveryMs).unref()

  const stopAsking = monitorAnswers(daemon.answers, unresponsiveMs, (reason) => {
    if (monitored && isAlive(monitored)) tell(reason)
  })
  return stop
}

/**
 * Calls `silent` when there has been no answer for `unresponsiveMs`, and again while there is none.
 * @returns the way to stop asking.
 */
export function monitorAnswers(
  answers: (withinMs: number) => Promise<boolean>,
  unresponsiveMs: number,
  silent: (reason: string) => void,
): () => void {
  const everyMs = unresponsiveMs / asks
  let asked = true
  let unanswered = 0
  const ask = async () => {
    const nextAt = performance.now() + everyMs
    unanswered = (await answers(everyMs)) ? 0 : unanswered + 1
    if (!asked) return
    // A refusal comes at once: it counts no more than a silence.
    asking = setTimeout(ask, Math.max(0, nextAt - performance.now())).unref()
    if (unanswered >= asks) silent(`has not answered for ${unresponsiveMs / 1000} s`)
  }
  let asking = setTimeout(ask, everyMs).unref()
  return () => {
    asked = false
    clearTimeout(asking)
  }
}
