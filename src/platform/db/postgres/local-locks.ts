import { waitAtMost } from '../../async/wait-at-most.ts'

/** Runs `work` after all earlier work with the same name. @returns undefined if the wait took too long. */
type LocalLocks = <T>(name: string, work: () => Promise<T>) => Promise<{ result: T } | undefined>

/**
 * A queue for each lock name within this process. Waiting calls use no connection. A server waits for a database lock once,
 * not once for each call, so that a server with slow round trips does not delay all others.
 */
export function createLocalLocks(waitMs: number): LocalLocks {
  const queues = new Map<string, Promise<void>>()
  return async (name, work) => {
    const earlierWork = queues.get(name)
    const { promise, resolve } = Promise.withResolvers<void>()
    const queue = earlierWork ? earlierWork.then(() => promise) : promise
    queues.set(name, queue)
    // A caller that timed out resolves before earlier work in the queue has ended, so the whole queue is awaited.
    void queue.then(() => {
      if (queues.get(name) === queue) queues.delete(name)
    })
    try {
      if (earlierWork && (await waitAtMost(waitMs, earlierWork, 'late')) === 'late') return undefined
      return { result: await work() }
    } finally {
      resolve()
    }
  }
}
