import type { Rpc } from '#platform/process/rpc.ts'
import type { WorkerCalls } from './calls.ts'

/** How many times a worker is looked at before it counts as hanging. */
const looks = 10

/**
 * Tells when a worker has not answered for so long: its event loop hangs, or its process is stopped. Only time in which
 * this process could look itself is counted, not that of a host which was suspended.
 * @returns what ends the watch.
 */
export function watchHeartbeat(
  rpc: Pick<Rpc<Pick<WorkerCalls, 'worker.ping'>>, 'call'>,
  silenceMs: number,
  onSilent: () => void,
): () => void {
  let unanswered = 0
  const answered = () => {
    unanswered = 0
  }
  const look = () => {
    if (unanswered === 0) void rpc.call('worker.ping', null).then(answered, answered)
    unanswered++
    if (unanswered <= looks) return
    clearInterval(looking)
    onSilent()
  }
  const looking = setInterval(look, silenceMs / looks).unref()
  return () => clearInterval(looking)
}
