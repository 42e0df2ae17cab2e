import type { Runs } from '#interns/contract/runs.ts'

const patienceMs = 5000
const againAtLeastMs = 50

/**
 * Calls `idle`, once, when a daemon has had nothing to do for so long and takes no more turns; never with 0. A daemon that
 * does not answer, or is too old to know of it, is asked again later. @returns the way to stop asking.
 */
export function whenIdle(runs: Pick<Runs, 'rest'>, idleMs: number, idle: () => void): () => void {
  if (idleMs === 0) return () => {}
  const ask = async () => {
    const againAfterMs = await runs.rest(idleMs, AbortSignal.timeout(patienceMs)).catch(() => idleMs)
    if (timer === undefined) return
    if (againAfterMs === 0) return idle()
    timer = setTimeout(ask, Math.max(againAtLeastMs, againAfterMs)).unref()
  }
  let timer: NodeJS.Timeout | undefined = setTimeout(ask, idleMs).unref()
  return () => {
    clearTimeout(timer)
    timer = undefined
  }
}
