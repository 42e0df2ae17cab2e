import { startReconciler } from '#platform/async/reconcile.ts'
import { hourMs, type Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { backfillRollups } from './backfill.ts'
import { mergeBatches } from './merge-batches.ts'
import { pruneCells } from './prune-cells.ts'

type RollupDeps = { db: Db; now: Now; onError: (error: Error) => void }
const backfillIntervalMs = 60_000

type RollupTiming = { mergeMs?: number; busyDelayMs?: number; pruneMs?: number }

/**
 * Merges pending batches into cells, backfills older rows in small batches, and prunes. Only one of several servers works at a time.
 * @returns a function that stops it after the running step.
 */
export function startRollups(
  deps: RollupDeps,
  retentionDays: number,
  { mergeMs = 5_000, busyDelayMs = 20, pruneMs = hourMs }: RollupTiming = {},
): () => Promise<void> {
  /** @param step returns whether more work may be waiting. */
  const startLoop = (everyMs: number, step: () => Promise<boolean>) => {
    // Pauses after each transaction, so that other writers can proceed.
    const runStep = async () => ((await step()) ? busyDelayMs : everyMs)
    return startReconciler(runStep, { firstMs: 0, retryMs: everyMs, onError: deps.onError })
  }
  const loops = [
    startLoop(mergeMs, () => mergeBatches(deps)),
    startLoop(backfillIntervalMs, () => backfillRollups(deps)),
    startLoop(pruneMs, async () => {
      await pruneCells(deps, retentionDays)
      return false
    }),
  ]
  return async () => {
    await Promise.all(loops.map(({ stop }) => stop()))
  }
}
