import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Db } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import type { Generation } from './generation.ts'
import { RefusalQuota } from './refusal-quota.ts'
import type { Spill } from './spill.ts'
import { type RejectedGeneration, writeAcceptable } from './write.ts'

/** Takes metered requests in memory and writes them in batches, off the way of requests. */
export type Ledger = {
  record: (generation: Generation) => void
  /** The number of rows that are not in the database yet. */
  readonly waiting: number
  /**
   * The number of those rows in memory and in files, and the time since which the oldest waits, in ms since the epoch.
   */
  standing: () => Record<'memory' | 'files', { waiting: number; oldestAt: number | undefined }>
  /** False while so many are not written that no further request may be taken: none is served unmetered. */
  hasRoom: () => boolean
  /**
   * How long a new request is to wait before it is taken, in ms: 0 while rows are written as fast as they come, and the
   * longer, the more of them wait. Clients that ask again once they are answered are so held to what can be written.
   */
  admissionDelayMs: () => number
  /** Writes what is waiting, in memory and in files. */
  flush: () => Promise<void>
  /** The last flush; what cannot be written within the time goes to a file, for the next start. */
  close: () => Promise<void>
}

type LedgerDeps = {
  db: Db
  now?: Now
  /** Takes what the database does not take for a while. */
  spill: Spill
  /** Nothing can be written now. Waiting rows are kept and tried again. */
  onError: (error: Error) => void
  /** The database will not take a request as it is. It is not kept. */
  onRefused: (error: Error) => void
}
type Rhythm = { everyMs?: number; batch?: number; limit?: number; spillAfterMs?: number; closeMs?: number }

/** Of the rows that may wait: so many do where a process makes as many as it can, and all are written in time. */
const calmShare = 0.2
/** The delay of a request just before there is no room for more. */
const longestDelayMs = 2000

/**
 * A crash loses what was recorded during the last `everyMs`, a fifth of a second unless told, or `spillAfterMs` while the
 * database takes nothing. What waits for longer is copied by each collection of young objects, which requests wait for. A request may be in a file and on its way to the database at once: its id tells the second
 * writing from the first.
 */
export function openLedger(
  deps: LedgerDeps,
  { everyMs = 200, batch = 2000, limit = 50_000, spillAfterMs = 2000, closeMs = 2000 }: Rhythm = {},
): Ledger {
  const { spill, onError } = deps
  const quota = new RefusalQuota()
  const closing = new AbortController()
  let queue: Generation[] = []
  /** The number of rows that are being written to a file. */
  let spilling = 0
  let spillingFirst: Generation | undefined
  /** When the queue began, or was last got from. */
  let movedAt = 0
  let flushing: Promise<void> | undefined
  let savingNow: Promise<void> | undefined

  /** Requests have their turn, unless they are made faster than they are written: turns of a busy process take long. */
  const pause = () => (queue.length > batch ? undefined : turn())
  async function write(generations: Generation[]): Promise<void> {
    for (const one of await writeAcceptable({ ...deps, pause }, generations)) deps.onRefused(refusal(one))
  }
  async function writeAll(): Promise<void> {
    while (queue.length > 0) {
      const next = queue.slice(0, batch)
      await write(next)
      // It may have gone to a file meanwhile.
      if (queue[0] === next[0]) queue = queue.slice(next.length)
      movedAt = performance.now()
    }
    // What was taken from the queue to be saved is in a file soon, which is written next.
    await savingNow?.catch(() => {})
    for (const file of await spill.files()) {
      if (closing.signal.aborted) return
      const generations = await spill.read(file).catch((error) => void onError(error))
      if (!generations) continue
      await write(generations)
      await spill.remove(file)
    }
  }
  const flush = (): Promise<void> => {
    flushing ??= writeAll().finally(() => {
      flushing = undefined
    })
    return flushing
  }

  /** Rows that are being written to the database go to the file too: nobody knows whether that write will succeed. */
  async function spillAll(): Promise<void> {
    const taken = queue
    let kept = 0
    queue = []
    spilling = taken.length
    spillingFirst = taken[0]
    try {
      for (; kept < taken.length; kept += batch) await spill.write(taken.slice(kept, kept + batch))
    } finally {
      spilling = 0
      spillingFirst = undefined
      if (kept < taken.length) queue = [...taken.slice(kept), ...queue]
    }
  }

  const save = (): Promise<void> => {
    savingNow ??= spillAll().finally(() => {
      savingNow = undefined
    })
    return savingNow
  }

  async function repeat(act: () => Promise<void>): Promise<void> {
    while (!closing.signal.aborted) {
      await sleep(everyMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      await act().catch(onError)
    }
  }
  const spillLate = async () => {
    if (queue.length > 0 && performance.now() - movedAt > spillAfterMs) await save()
  }
  // A flush may stand still for as long as the database lets it.
  const [writing, saving] = [repeat(flush), repeat(spillLate)]

  return {
    record(generation) {
      if (!quota.admits(generation, Date.now())) return
      if (queue.length === 0) movedAt = performance.now()
      queue.push(generation)
    },
    get waiting() {
      return queue.length + spilling + spill.waiting
    },
    standing: () => ({
      memory: { waiting: queue.length + spilling, oldestAt: endedAt(spillingFirst ?? queue[0]) },
      files: { waiting: spill.waiting, oldestAt: spill.oldestAt },
    }),
    hasRoom: () => queue.length + spilling < limit && spill.hasRoom(),
    admissionDelayMs() {
      const share = Math.min(1, (queue.length + spilling) / limit)
      return Math.round(Math.max(0, (share - calmShare) / (1 - calmShare)) * longestDelayMs)
    },
    async flush() {
      // One that is under way may have begun before the latest was recorded.
      await flush()
      await flush()
    },
    async close() {
      closing.abort()
      const last = Promise.all([writing, saving]).then(() => flush().catch(onError))
      await Promise.race([last, sleep(closeMs, undefined, { ref: false })])
      // What is on its way to a file is in no queue any more.
      await savingNow?.catch(onError)
      if (queue.length === 0) return
      await save().catch(onError)
      if (queue.length > 0) onError(new Error(`${queue.length} metered requests could not be written and are lost`))
    },
  }
}

const endedAt = (generation: Generation | undefined) => generation && generation.createdAt + generation.durationMs

/** Without a word of the row: the database's own message may repeat some of it. */
function refusal({ generation, error }: RejectedGeneration): Error {
  const { code } = error as { code?: string }
  return new Error(`the database refuses the metered request ${generation.id} (${code}): it is not written`)
}
