import { type Reconciler, startReconciler } from '#platform/async/reconcile.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import type { Now } from '#platform/core/clock.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import type { Generation } from '../ledger/generation.ts'
import { RefusalQuota } from '../ledger/refusal-quota.ts'
import { RowWriter } from './row-writer.ts'
import type { Spill } from './spill.ts'
import { WaitingRows } from './waiting-rows.ts'

/** Queues metered requests in memory and writes them in batches in the background. */
export type Ledger = {
  record: (generation: Generation) => void
  /** The number of rows that are not in the database yet. */
  readonly waitingCount: number
  /** The number of waiting rows in memory and in files, and the time of the oldest one, in ms since the epoch. */
  backlog: () => Record<'memory' | 'files', { waiting: number; oldestAt: number | undefined }>
  /** Whether the queue has space. While it is full, requests are refused, because they could not be metered. */
  hasRoom: () => boolean
  /**
   * The delay of a new request in ms: 0 while rows are written as fast as they arrive, and longer the more rows wait. This
   * limits clients to the rate of the database.
   */
  admissionDelayMs: () => number
  /** Writes the waiting rows in memory and in files. */
  flush: () => Promise<void>
  /**
   * Flushes for the last time. Rows that cannot be written in time go to a file for the next start. If that fails, as on a
   * full disk, it is retried until the deadline.
   */
  close: () => Promise<void>
  /** The number of rows that `close` could not store. */
  lostRequestCount: () => number
}

type LedgerDeps = {
  db: Db
  now?: Now
  /** Stores rows while the database does not accept them. */
  spill: Spill
  /** Called if rows cannot be written now. They are retried. */
  onError: (error: Error) => void
  /** Called for a request that the database rejects. It is dropped. */
  onRejected: (error: Error) => void
  /** Called at the end with the number and cost of requests that were lost. */
  onLost: (requests: number, cost: PicoUsd) => void
}
type LedgerTiming = {
  /** The interval of writing rows to the database. */
  everyMs?: number
  /** The maximum number of rows in one transaction, and in one file. */
  maxBatchRows?: number
  /** The maximum number of rows in memory. */
  maxQueuedRows?: number
  /** Rows that have waited this long are written to a file. */
  spillAfterMs?: number
  /** How long `close` waits for the database. */
  closeMs?: number
  /** How long `close` retries to store rows. */
  saveRetryMs?: number
}

/** The fill level of the queue up to which requests are not delayed. A busy process reaches it in normal operation. */
const undelayedShare = 0.2
/** The delay of a request when the queue is almost full. */
const maxDelayMs = 2000

/**
 * Opens a ledger. A crash loses the rows of the last `everyMs` (200 by default), or of `spillAfterMs` while the database is
 * unreachable. Longer intervals would make garbage collection slower. A request can be in a file and in a pending write at the same time:
 * its id prevents a second row.
 */
export function openLedger(
  deps: LedgerDeps,
  {
    everyMs = 200,
    maxBatchRows = 2000,
    maxQueuedRows = 50_000,
    spillAfterMs = 2000,
    closeMs = 2000,
    saveRetryMs = 5000,
  }: LedgerTiming = {},
): Ledger {
  const { spill, onError } = deps
  const quota = new RefusalQuota()
  const rows = new WaitingRows(spill, maxBatchRows)
  const closeController = new AbortController()
  const writer = new RowWriter({ ...deps, rows, closing: closeController.signal }, maxBatchRows)
  // A separate loop saves rows, because a flush can wait for the database.
  const loops = [
    startLoop(() => writer.flush(), everyMs, onError),
    startLoop(() => saveLateRows(rows, spillAfterMs), everyMs, onError),
  ]
  let lostCount = 0

  return {
    record(generation) {
      if (quota.admits(generation, performance.now())) rows.add(generation)
    },
    get waitingCount() {
      return rows.count + spill.requestCount
    },
    backlog: () => ({
      memory: { waiting: rows.count, oldestAt: endedAt(rows.oldest) },
      files: { waiting: spill.requestCount, oldestAt: spill.oldestAt },
    }),
    hasRoom: () => rows.count < maxQueuedRows && spill.hasRoom(),
    admissionDelayMs: () => admissionDelayMs(rows.count / maxQueuedRows),
    async flush() {
      // A running flush may have started before the latest row.
      await writer.flush()
      await writer.flush()
    },
    async close() {
      closeController.abort()
      const last = Promise.all(loops.map(({ stop }) => stop())).then(() => writer.flush().catch(onError))
      await waitAtMost(closeMs, last)
      // Rows that are being written to a file are not in the queue.
      await rows.pendingSave?.catch(onError)
      await writer.saveRemaining(saveRetryMs)
      lostCount = rows.queuedCount
      if (lostCount > 0) deps.onLost(lostCount, costOf(rows.peek(lostCount)))
    },
    lostRequestCount: () => lostCount,
  }
}

function startLoop(work: () => Promise<void>, everyMs: number, onError: (error: Error) => void): Reconciler {
  const runOnce = async () => {
    await work().catch(onError)
    return everyMs
  }
  return startReconciler(runOnce, { firstMs: everyMs, retryMs: everyMs, onError })
}

async function saveLateRows(rows: WaitingRows, spillAfterMs: number): Promise<void> {
  if (rows.areLate(spillAfterMs)) await rows.save()
}

/** @param fillLevel the part of the queue that is full, from 0. It can exceed 1. */
function admissionDelayMs(fillLevel: number): number {
  const excess = Math.max(0, Math.min(1, fillLevel) - undelayedShare)
  return Math.round((excess / (1 - undelayedShare)) * maxDelayMs)
}

const costOf = (rows: readonly Generation[]) => rows.reduce((sum, { cost, margin }) => sum + cost + margin, 0n)
const endedAt = (generation: Generation | undefined) => generation && generation.createdAt + generation.durationMs
