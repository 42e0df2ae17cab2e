import type { DaemonApi } from '#interns/contract/daemon-api.ts'
import { startReconciler } from '#platform/async/reconcile.ts'

/** The time limit of a request. */
const timeoutMs = 5000
/** The least time between two requests, if `idleMs` is very short. */
const minPauseMs = 50

/**
 * Calls `onIdle` once, when a daemon has been idle for `idleMs` and accepts no more turns; never with 0. A daemon that does
 * not answer, or is too old for this request, is asked again later. @returns a function that stops the watch.
 */
export function watchIdle(runs: Pick<DaemonApi, 'drain'>, idleMs: number, onIdle: () => void): () => void {
  if (idleMs === 0) return () => {}
  const request = async (signal: AbortSignal) => {
    const nextAfterMs = await runs.drain(idleMs, AbortSignal.timeout(timeoutMs))
    if (nextAfterMs > 0) return Math.max(minPauseMs, nextAfterMs)
    if (!signal.aborted) onIdle()
    return undefined
  }
  const { stop } = startReconciler(request, {
    firstMs: idleMs,
    retryMs: Math.max(minPauseMs, idleMs),
    onError: () => {},
  })
  return () => void stop()
}
