import type { LeaveSignal } from '#platform/async/leave-signal.ts'
import { AttemptAnswer } from './answer-reader.ts'
import type { AttemptRequest } from './attempt-request.ts'
import type { AttemptFailure } from './failure.ts'
import type { Receiver } from './receiver.ts'
import type { Upstreams } from './upstream/upstream.ts'

/** Is told at the end, in milliseconds, how long an attempt waited for a connection and for the first byte. */
type AttemptWaits = { waited: (connectMs: number | undefined, firstByteMs: number | undefined) => void }

/**
 * Asks one endpoint. Resolves when the answer is over, or with the failure when there was none: then nothing has
 * reached the receiver, and another endpoint may be asked.
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
    waits?.waited(answer.exchange?.connectMs, answer.firstByteMs)
    resolve(failure)
  })
  const { request } = ask
  ask.request = undefined
  answer.exchange = deps.upstreams.send(request!, ask.deadlines, answer)
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  return promise
}
