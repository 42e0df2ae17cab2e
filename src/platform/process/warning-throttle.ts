import { minuteMs, steadyNow } from '../core/clock.ts'
import type { Log } from './log.ts'

/** The limit of distinguished failures, because messages can contain arbitrary values. */
const maxKinds = 100
const otherKind = 'any other'

type RepeatedFailure = { firstAt: number; lastLoggedAt: number; times: number; ending: { refresh: () => unknown } }
type Timing = { now: () => number; schedule: (act: () => void, ms: number) => { refresh: () => unknown } }

const defaultTiming: Timing = { now: steadyNow, schedule: (act, ms) => setTimeout(act, ms).unref() }

/**
 * Logs repeated failures: the first one with its error, then once a minute with a count, and once when there was none for a
 * minute. The end of a single failure is not logged.
 */
export function throttleWarnings(
  log: Pick<Log, 'warn' | 'info'>,
  message: string,
  { now, schedule }: Timing = defaultTiming,
): (error: Error) => void {
  const failures = new Map<string, RepeatedFailure>()

  function logEnd(kind: string, error: string): void {
    const { firstAt, times } = failures.get(kind)!
    failures.delete(kind)
    if (times === 1) return
    const ms = Math.round(now() - firstAt)
    log.info({ error, times, ms }, `${message}: over, no repetition for a minute`)
  }
  return (error) => {
    const exactKind = kindOf(error)
    const kind = failures.has(exactKind) || failures.size < maxKinds ? exactKind : otherKind
    const failure = failures.get(kind)
    if (!failure) {
      const ending = schedule(() => logEnd(kind, error.message), minuteMs)
      failures.set(kind, { firstAt: now(), lastLoggedAt: now(), times: 1, ending })
      return log.warn({ err: error }, message)
    }
    failure.times++
    failure.ending.refresh()
    if (now() - failure.lastLoggedAt < minuteMs) return
    failure.lastLoggedAt = now()
    log.warn({ error: error.message, times: failure.times }, `${message}: repeated`)
  }
}

/** Distinguishes system errors by code, because their messages can contain changing file names. */
function kindOf(error: Error): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code !== undefined && /^E[A-Z]+$/.test(code) ? code : message
}
