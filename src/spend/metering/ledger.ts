import { setTimeout as sleep } from 'node:timers/promises'
import type { Now } from '#platform/core/clock.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import type { Generation } from '../ledger/generation.ts'
import { RefusalQuota } from '../ledger/refusal-quota.ts'
import { RowWriter } from './row-writer.ts'
import type { Spill } from './spill.ts'
import { WaitingRows } from './waiting-rows.ts'

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
  /**
   * The last flush; what cannot be written within the time goes to a file, for the next start. Where that cannot be either,
   * as on a full disk, it is tried again until the time for it is over.
   */
  close: () => Promise<void>
  /** The number of rows that `close` could keep nowhere. */
  lost: () => number
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
  /** At the end: so many requests could be kept nowhere and are lost, and what they cost. */
  onLost: (requests: number, cost: PicoUsd) => void
}
type Rhythm = {
  everyMs?: number
  batch?: number
  limit?: number
  spillAfterMs?: number
  closeMs?: number
  /** How long the end goes on trying where nothing can be kept. */
  keepTryingMs?: number
}

/** Of the rows that may wait: so many do where a process makes as many as it can, and all are written in time. */
const calmShare = 0.2
/** The delay of a request just before there is no room for more. */
const longestDelayMs = 2000

/**
 * A crash loses what was recorded during the last `everyMs`, a fifth of a second unless told, or `spillAfterMs` while the
 * database takes nothing. What waits for longer is copied by each collection of young objects, which requests wait for.
 * A request may be in a file and on its way to the database at once: its id tells the second writing from the first.
 */
export function openLedger(
  deps: LedgerDeps,
  {
    everyMs = 200,
    batch = 2000,
    limit = 50_000,
    spillAfterMs = 2000,
    closeMs = 2000,
    keepTryingMs = 5000,
  }: Rhythm = {},
): Ledger {
  const { spill, onError } = deps
  const quota = new RefusalQuota()
  const rows = new WaitingRows(spill, batch)
  const closing = new AbortController()
  const writer = new RowWriter({ ...deps, rows, closing: closing.signal }, batch)
  let lost = 0

  async function repeat(act: () => Promise<void>): Promise<void> {
    while (!closing.signal.aborted) {
      await sleep(everyMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      await act().catch(onError)
    }
  }
  const saveLate = async () => {
    if (rows.areLate(spillAfterMs)) await rows.save()
  }
  // A flush may stand still for as long as the database lets it.
  const [writing, saving] = [repeat(() => writer.flush()), repeat(saveLate)]

  return {
    record(generation) {
      if (quota.admits(generation, Date.now())) rows.add(generation)
    },
    get waiting() {
      return rows.count + spill.waiting
    },
    standing: () => ({
      memory: { waiting: rows.count, oldestAt: endedAt(rows.oldest) },
      files: { waiting: spill.waiting, oldestAt: spill.oldestAt },
    }),
    hasRoom: () => rows.count < limit && spill.hasRoom(),
    admissionDelayMs() {
      const share = Math.min(1, rows.count / limit)
      return Math.round(Math.max(0, (share - calmShare) / (1 - calmShare)) * longestDelayMs)
    },
    async flush() {
      // One that is under way may have begun before the latest was recorded.
      await writer.flush()
      await writer.flush()
    },
    async close() {
      closing.abort()
      const last = Promise.all([writing, saving]).then(() => writer.flush().catch(onError))
      await Promise.race([last, sleep(closeMs, undefined, { ref: false })])
      // What is on its way to a file is in no queue any more.
      await rows.saving?.catch(onError)
      await writer.saveAtLast(keepTryingMs)
      lost = rows.queued
      if (lost > 0) deps.onLost(lost, costOf(rows.first(lost)))
    },
    lost: () => lost,
  }
}

const costOf = (rows: Generation[]) => rows.reduce((sum, { cost, margin }) => sum + cost + margin, 0n)
const endedAt = (generation: Generation | undefined) => generation && generation.createdAt + generation.durationMs
