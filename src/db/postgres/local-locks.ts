import { setTimeout as sleep } from 'node:timers/promises'

/** Runs `work` when nobody before it works under that name any more. @returns undefined when that took too long. */
export type LocalLocks = <T>(name: string, work: () => Promise<T>) => Promise<{ done: T } | undefined>

/**
 * Who wants the same thing at this server waits here in a row. So they do not hold connections that others could use,
 * and a server stands once, not many times, in the database's own row: one far away does not keep all others waiting.
 */
export function createLocalLocks(waitMs: number): LocalLocks {
  const rows = new Map<string, Promise<void>>()
  return async (name, work) => {
    const before = rows.get(name)
    const { promise, resolve } = Promise.withResolvers<void>()
    const row = before ? before.then(() => promise) : promise
    rows.set(name, row)
    // Not when its own turn ends: who gave up leaves others in the row before it.
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
