import type { Runs } from '#interns/contract/runs.ts'

const patienceMs = 5000
const minPauseMs = 50

/**
 * Calls `onIdle` once, when a daemon has been idle for `idleMs` and accepts no more turns; never with 0. A daemon that does not answer, or is
 * too old for this request, is asked again later. @returns a function that stops the watch.
 */
export function watchIdle(runs: Pick<Runs, 'rest'>, idleMs: number, onIdle: () => void): () => void {
  if (idleMs === 0) return () => {}
  const request = async () => {
    const nextAfterMs = await runs.rest(idleMs, AbortSignal.timeout(patienceMs)).catch(() => idleMs)
    if (timer === undefined) return
    if (nextAfterMs === 0) return onIdle()
    timer = setTimeout(request, Math.max(minPauseMs, nextAfterMs)).unref()
  }
  let timer: NodeJS.Timeout | undefined = setTimeout(request, idleMs).unref()
  return () => {
    clearTimeout(timer)
    timer = undefined
  }
}
