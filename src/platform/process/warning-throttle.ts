import { steadyNow } from '../core/clock.ts'
import type { Log } from './log.ts'

/** A repeated failure is logged once in this time. Without a repetition for this time, it is over. */
const minuteMs = 60_000

/** The limit of distinguished failures, because messages can contain arbitrary values. */
const maxKinds = 100
const otherKind = 'any other'

type Failing = { firstAt: number; lastLoggedAt: number; times: number; ending: { refresh: () => unknown } }
type Timing = { now: () => number; later: (act: () => void, ms: number) => { refresh: () => unknown } }

const defaultTiming: Timing = { now: steadyNow, later: (act, ms) => setTimeout(act, ms).unref() }

/**
 * Logs repeated failures: the first one with its error, then once a minute with a count, and once when it is over. The end of a
 * single failure is not logged.
 */
export function throttleWarnings(
  log: Pick<Log, 'warn' | 'info'>,
  what: string,
  { now, later }: Timing = defaultTiming,
): (error: Error) => void {
  const failing = new Map<string, Failing>()

  function end(kind: string, error: string): void {
    const { firstAt, times } = failing.get(kind)!
    failing.delete(kind)
    if (times === 1) return
    const ms = Math.round(now() - firstAt)
    log.info({ error, times, ms }, `${what}: over, no repetition for a minute`)
  }
  return (error) => {
    const exactKind = kindOf(error)
    const kind = failing.has(exactKind) || failing.size < maxKinds ? exactKind : otherKind
    const one = failing.get(kind)
    if (!one) {
      const ending = later(() => end(kind, error.message), minuteMs)
      failing.set(kind, { firstAt: now(), lastLoggedAt: now(), times: 1, ending })
      return log.warn({ err: error }, what)
    }
    one.times++
    one.ending.refresh()
    if (now() - one.lastLoggedAt < minuteMs) return
    one.lastLoggedAt = now()
    log.warn({ error: error.message, times: one.times }, `${what}: repeated`)
  }
}

/** Distinguishes system errors by code, because their messages can contain changing file names. */
function kindOf(error: Error): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code !== undefined && /^E[A-Z]+$/.test(code) ? code : message
}
