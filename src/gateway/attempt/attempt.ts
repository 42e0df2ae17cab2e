import type { DisconnectSignal } from '#platform/async/disconnect-signal.ts'
import type { AttemptTimings } from '../record/attempt-notes.ts'
import { AttemptAnswer, type AttemptOutcome } from './answer/attempt-answer.ts'
import type { Receiver } from './answer/receiver.ts'
import type { AttemptRequest } from './attempt-request.ts'
import type { Upstreams } from './upstream/upstream.ts'

type AttemptResult = { outcome: AttemptOutcome; timings: AttemptTimings }

/**
 * Sends a request to one endpoint, and passes the answer to the receiver. Resolves when the attempt has ended.
 * @param signal aborts when the client disconnects. The answer may still be read for its usage.
 */
export async function performAttempt(
  deps: { upstreams: Upstreams; now: () => number },
  attemptRequest: AttemptRequest,
  receiver: Receiver,
  signal: DisconnectSignal,
): Promise<AttemptResult> {
  const answer = new AttemptAnswer(attemptRequest, receiver, deps.now)
  const onDisconnect = () => answer.onClientDisconnect()
  answer.send(deps.upstreams)
  if (signal.aborted) onDisconnect()
  else signal.addEventListener('abort', onDisconnect, { once: true })
  const outcome = await answer.outcome
  signal.removeEventListener('abort', onDisconnect)
  answer.dispose()
  return { outcome, timings: answer.timings }
}
