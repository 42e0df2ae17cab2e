import { steadyNow } from '../core/clock.ts'
import type { Log } from './log.ts'

/** The same failure is told once in this time; when it has not come for as long, it is over. */
const minuteMs = 60_000

/** Kinds of failures that are told apart: messages may name what there is without end. */
const mostKinds = 100
const anyOther = 'any other'

type Failing = { firstAt: number; toldAt: number; times: number; ending: { refresh: () => unknown } }
type Timing = { now: () => number; later: (act: () => void, ms: number) => { refresh: () => unknown } }

const usual: Timing = { now: steadyNow, later: (act, ms) => setTimeout(act, ms).unref() }

/**
 * Warns of what fails again and again: the first time whole, then once a minute with how often, and once when it is over.
 * What has failed only once is over without a word.
 */
export function throttleWarnings(
  log: Pick<Log, 'warn' | 'info'>,
  what: string,
  { now, later }: Timing = usual,
): (error: Error) => void {
  const failing = new Map<string, Failing>()

  function end(kind: string, error: string): void {
    const { firstAt, times } = failing.get(kind)!
    failing.delete(kind)
    if (times === 1) return
    const ms = Math.round(now() - firstAt)
    log.info({ error, times, ms }, `${what}: this is over, it has not come for a minute`)
  }
  return (error) => {
    const known = kindOf(error)
    const kind = failing.has(known) || failing.size < mostKinds ? known : anyOther
    const one = failing.get(kind)
    if (!one) {
      const ending = later(() => end(kind, error.message), minuteMs)
      failing.set(kind, { firstAt: now(), toldAt: now(), times: 1, ending })
      return log.warn({ err: error }, what)
    }
    one.times++
    one.ending.refresh()
    if (now() - one.toldAt < minuteMs) return
    one.toldAt = now()
    log.warn({ error: error.message, times: one.times }, `${what}: this comes again and again`)
  }
}

/** Messages of the system name files, which have a new name each time. */
function kindOf(error: Error): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code !== undefined && /^E[A-Z]+$/.test(code) ? code : message
}
