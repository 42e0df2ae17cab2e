import type { DisconnectSignal } from '#platform/async/disconnect-signal.ts'
import { AttemptAnswer } from './answer/attempt-answer.ts'
import type { Receiver } from './answer/receiver.ts'
import type { AttemptRequest } from './attempt-request.ts'
import type { AttemptFailure } from './failure/failure.ts'
import type { Upstreams } from './upstream/upstream.ts'

/** Receives the time to the connection and to the first byte, in milliseconds, when an attempt has ended. */
type AttemptTimings = { noteTimings: (connectMs: number | undefined, firstByteMs: number | undefined) => void }

/**
 * Sends a request to one endpoint. Resolves when the attempt has ended.
 * @returns the failure if nothing has reached the receiver, so that another endpoint can be tried.
 */
export function attempt(
  deps: { upstreams: Upstreams; now: () => number },
  attemptRequest: AttemptRequest,
  receiver: Receiver,
  signal: DisconnectSignal,
  timings?: AttemptTimings,
): Promise<AttemptFailure | undefined> {
  const { promise, resolve } = Promise.withResolvers<AttemptFailure | undefined>()
  const onDisconnect = () => answer.onClientDisconnect()
  const answer = new AttemptAnswer(attemptRequest, receiver, deps.now, (failure) => {
    signal.removeEventListener('abort', onDisconnect)
    answer.dispose()
    timings?.noteTimings(answer.exchange?.connectMs, answer.firstByteMs)
    resolve(failure)
  })
  const { upstreamRequest } = attemptRequest
  attemptRequest.upstreamRequest = undefined
  // Each attempt is sent once, so its request is still there.
  answer.exchange = deps.upstreams.send(upstreamRequest!, attemptRequest.timeouts, answer)
  if (signal.aborted) onDisconnect()
  else signal.addEventListener('abort', onDisconnect, { once: true })
  return promise
}
