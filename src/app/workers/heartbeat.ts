import type { Rpc } from '#platform/process/rpc.ts'
import type { WorkerCalls } from './calls.ts'

/** The number of checks without a response after which a worker counts as hanging. */
const maxUnansweredChecks = 10

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
  let unansweredChecks = 0
  const resetCount = () => {
    unansweredChecks = 0
  }
  const check = () => {
    if (unansweredChecks === 0) void rpc.call('worker.ping', null).then(resetCount, resetCount)
    unansweredChecks++
    if (unansweredChecks <= maxUnansweredChecks) return
    clearInterval(checkTimer)
    onSilent()
  }
  const checkTimer = setInterval(check, silenceMs / maxUnansweredChecks).unref()
  return () => clearInterval(checkTimer)
}
