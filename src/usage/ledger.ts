import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '#db/db.ts'
import type { Generation } from './generation.ts'
import { type Refused, writeAcceptable } from './write.ts'

/** Takes metered requests in memory and writes them in batches, off the way of requests. */
export type Ledger = {
  record: (generation: Generation) => void
  /** How many are not written yet. */
  readonly waiting: number
  /** False while so many are not written that no further request may be taken: none is served unmetered. */
  hasRoom: () => boolean
  /** Writes what is waiting. */
  flush: () => Promise<void>
  /** The last flush; what cannot be written within the time is reported as lost. */
  close: () => Promise<void>
}

type Deps = {
  db: Db
  /** Nothing can be written now. What waits is kept, and tried again. */
  onError: (error: Error) => void
  /** The database will not take a request as it is. It is not kept. */
  onRefused: (error: Error) => void
}
type Rhythm = { everyMs?: number; batch?: number; limit?: number }

/** A crash loses what was recorded during the last `everyMs`, half a second unless told; a clean stop loses nothing. */
export function openLedger(deps: Deps, { everyMs = 500, batch = 2000, limit = 50_000 }: Rhythm = {}): Ledger {
  const closing = new AbortController()
  let queue: Generation[] = []
  let flushing: Promise<void> | undefined

  async function writeAll(): Promise<void> {
    while (queue.length > 0) {
      const next = queue.slice(0, batch)
      const refused = await writeAcceptable(deps, next)
      queue = queue.slice(next.length)
      for (const one of refused) deps.onRefused(refusal(one))
    }
  }
  const flush = (): Promise<void> => {
    flushing ??= writeAll().finally(() => {
      flushing = undefined
    })
    return flushing
  }
  async function keepFlushing(): Promise<void> {
    while (!closing.signal.aborted) {
      await sleep(everyMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      await flush().catch(deps.onError)
    }
  }

  const running = keepFlushing()
  return {
    record: (generation) => void queue.push(generation),
    get waiting() {
      return queue.length
    },
    hasRoom: () => queue.length < limit,
    async flush() {
      // One that is under way may have begun before the latest was recorded.
      await flush()
      await flush()
    },
    async close() {
      closing.abort()
      await running
      await flush().catch(deps.onError)
      if (queue.length > 0)
        deps.onError(new Error(`${queue.length} metered requests could not be written and are lost`))
    },
  }
}

/** Without a word of the row: the database's own message may repeat some of it. */
function refusal({ generation, error }: Refused): Error {
  const { code } = error as { code?: string }
  return new Error(`the database refuses the metered request ${generation.id} (${code}): it is not written`)
}
