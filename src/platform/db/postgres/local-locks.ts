import { setTimeout as sleep } from 'node:timers/promises'

/** Runs `work` after all earlier work with the same name. @returns undefined if the wait took too long. */
export type LocalLocks = <T>(name: string, work: () => Promise<T>) => Promise<{ done: T } | undefined>

/**
 * A queue for each lock name within this process. Waiting calls hold no connection, and a server waits for a database
 * lock once, not once for each call: a server far away does not keep all others waiting.
 */
export function createLocalLocks(waitMs: number): LocalLocks {
  const rows = new Map<string, Promise<void>>()
  return async (name, work) => {
    const before = rows.get(name)
    const { promise, resolve } = Promise.withResolvers<void>()
    const row = before ? before.then(() => promise) : promise
    rows.set(name, row)
    // After the whole queue before it: a caller that timed out can still have earlier ones running.
    void row.then(() => rows.get(name) === row && rows.delete(name))
    try {
      if (before && !(await isOverIn(waitMs, before))) return undefined
      return { done: await work() }
    } finally {
      resolve()
    }
  }
}

async function isOverIn(ms: number, before: Promise<void>): Promise<boolean> {
  const waiting = new AbortController()
  const over = before.then(() => true)
  const late = sleep(ms, false, { ref: false, signal: waiting.signal }).catch(() => false)
  const isOver = await Promise.race([over, late])
  waiting.abort()
  return isOver
}
