import type { Rpc } from '#platform/process/rpc.ts'
import type { WorkerCalls } from './calls.ts'

/** The number of checks without a response after which a worker counts as hanging. */
const maxMissedChecks = 10

/**
 * Detects a worker that does not answer: its event loop hangs, or its process is stopped. Counts only time in which
 * this process itself ran, not time in which the host was suspended.
 * @returns a function that ends the watch.
 */
export function watchHeartbeat(
  rpc: Pick<Rpc<Pick<WorkerCalls, 'worker.ping'>>, 'call'>,
  silenceMs: number,
  onSilent: () => void,
): () => void {
  let missedChecks = 0
  const resetCount = () => {
    missedChecks = 0
  }
  const check = () => {
    if (missedChecks === 0) void rpc.call('worker.ping', null).then(resetCount, resetCount)
    missedChecks++
    if (missedChecks <= maxMissedChecks) return
    clearInterval(checkTimer)
    onSilent()
  }
  const checkTimer = setInterval(check, silenceMs / maxMissedChecks).unref()
  return () => clearInterval(checkTimer)
}
