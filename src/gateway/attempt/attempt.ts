import type { LeaveSignal } from '#platform/async/leave-signal.ts'
import { AttemptAnswer } from './answer-reader.ts'
import type { AttemptRequest } from './attempt-request.ts'
import type { AttemptFailure } from './failure.ts'
import type { Receiver } from './receiver.ts'
import type { Upstreams } from './upstream/upstream.ts'

/** Receives the milliseconds that an attempt waited for its connection and for the first byte, when it is over. */
type AttemptWaits = { noteWaits: (connectMs: number | undefined, firstByteMs: number | undefined) => void }

/**
 * Sends a request to one endpoint. Resolves when the answer is over. If there was no answer, it resolves with the failure:
 * then nothing has reached the receiver, and another endpoint can be tried.
 */
export function attempt(
  deps: { upstreams: Upstreams; now: () => number },
  ask: AttemptRequest,
  receiver: Receiver,
  signal: LeaveSignal,
  waits?: AttemptWaits,
): Promise<AttemptFailure | undefined> {
  const { promise, resolve } = Promise.withResolvers<AttemptFailure | undefined>()
  const leave = () => answer.leave()
  const answer = new AttemptAnswer(ask, receiver, deps.now, (failure) => {
    signal.removeEventListener('abort', leave)
    answer.stopWaiting()
    waits?.noteWaits(answer.exchange?.connectMs, answer.firstByteMs)
    resolve(failure)
  })
  const { request } = ask
  ask.request = undefined
  answer.exchange = deps.upstreams.send(request!, ask.deadlines, answer)
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  return promise
}
