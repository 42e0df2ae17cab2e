import type { DisconnectSignal } from '#platform/async/disconnect-signal.ts'
import type { AttemptTimings } from '../record/attempt-notes.ts'
import type { AttemptRequest } from './attempt-request.ts'
import { AttemptExchange, type AttemptOutcome } from './response/attempt-exchange.ts'
import type { Receiver } from './response/receiver.ts'
import type { Upstreams } from './upstream/upstream.ts'

type AttemptResult = { outcome: AttemptOutcome; timings: AttemptTimings }

/**
 * Sends a request to one endpoint, and passes the response to the receiver. Resolves when the attempt has ended.
 * @param signal aborts when the client disconnects. The response may still be read for its usage.
 */
export async function performAttempt(
  deps: { upstreams: Upstreams; now: () => number },
  attemptRequest: AttemptRequest,
  receiver: Receiver,
  signal: DisconnectSignal,
): Promise<AttemptResult> {
  const exchange = new AttemptExchange(attemptRequest, receiver, deps.now)
  const onDisconnect = () => exchange.onClientDisconnect()
  exchange.start(deps.upstreams)
  if (signal.aborted) onDisconnect()
  else signal.addEventListener('abort', onDisconnect, { once: true })
  const outcome = await exchange.outcome
  signal.removeEventListener('abort', onDisconnect)
  exchange.dispose()
  return { outcome, timings: exchange.timings }
}
