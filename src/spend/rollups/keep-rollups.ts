import { startReconciler } from '#platform/async/reconcile.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { countPast } from './count-past.ts'
import { mergeParts } from './merge-parts.ts'
import { pruneCells } from './prune-cells.ts'

type RollupDeps = { db: Db; now: Now; onError: (error: Error) => void }
const countPastMs = 60_000

type Rhythm = { mergeMs?: number; pastPauseMs?: number; pruneMs?: number }

/**
 * Merges parts into cells, counts past rows gradually, and prunes. If several servers run it, one works at a time.
 * @returns a function that stops it after the running step.
 */
export function keepRollups(
  deps: RollupDeps,
  retentionDays: number,
  { mergeMs = 5_000, pastPauseMs = 20, pruneMs = 3_600_000 }: Rhythm = {},
): () => Promise<void> {
  const start = (everyMs: number, step: () => Promise<boolean>) => {
    /** Pauses after each transaction, so that other writers can proceed. */
    const pass = async () => ((await step()) ? pastPauseMs : everyMs)
    return startReconciler(pass, { firstMs: 0, retryMs: everyMs, onError: deps.onError })
  }
  const loops = [
    start(mergeMs, () => mergeParts(deps)),
    start(countPastMs, () => countPast(deps)),
    start(pruneMs, async () => {
      await pruneCells(deps, retentionDays)
      return false
    }),
  ]
  return async () => {
    await Promise.all(loops.map(({ stop }) => stop()))
  }
}
