import { clientClosedFault, Fault } from '../../core/fault.ts'
import type { DisconnectSignal } from '../disconnect-signal.ts'
import { FairQueue, type Requester } from './fair-queue.ts'

type Job = { requester: Requester; start: () => void }

/** Runs few tasks at a time. Waiting tasks take turns by workspace and key, and leave when their signal aborts. */
type FairLimit = <T>(requester: Requester, signal: DisconnectSignal, task: () => Promise<T>) => Promise<T>

type Limits = { maxRunning: number; maxWaiting: number; name: string }

/** The `Retry-After` of a refusal. A guess, because the duration of the waiting tasks is unknown. */
const retryAfterSeconds = 5

/**
 * @param maxRunning the number of tasks that run at the same time.
 * @param maxWaiting the number of tasks of one key that can wait.
 * @param name the requests, in the plural, for messages.
 * @returns a function that throws Fault `rate_limited` for a key with too many waiting tasks, and
 * `client_closed_request` if the signal aborts before the task starts.
 */
export function fairLimit({ maxRunning, maxWaiting, name }: Limits): FairLimit {
  const waiting = new FairQueue<Job>()
  let running = 0

  function waitForStart(requester: Requester, signal: DisconnectSignal): Promise<void> {
    if (waiting.waitingJobs(requester).length >= maxWaiting) throw tooManyWaiting(name, maxWaiting)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      if (waiting.remove(job)) reject(clientClosedFault())
    }
    const start = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    const job: Job = { requester, start }
    waiting.add(job)
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave)
    return promise
  }

  return async (requester, signal, task) => {
    if (running < maxRunning) running++
    else await waitForStart(requester, signal)
    try {
      return await task()
    } finally {
      const nextJob = waiting.take(() => true)
      // The next task starts instead of the ended one, so `running` does not change.
      if (nextJob) nextJob.start()
      else running--
    }
  }
}

const tooManyWaiting = (name: string, maxWaiting: number) =>
  new Fault(
    'rate_limited',
    `${maxWaiting} ${name} of this key already wait, the maximum. Send this one again when some of them have ended.`,
    { retryAfterSeconds },
  )
