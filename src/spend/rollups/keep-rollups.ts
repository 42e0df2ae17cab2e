import { setTimeout as sleep } from 'node:timers/promises'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { countPast } from './count-past.ts'
import { mergeParts } from './merge-parts.ts'
import { pruneCells } from './prune-cells.ts'

type RollupDeps = { db: Db; now: Now; onError: (error: Error) => void }
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
  const closing = new AbortController()
  const { signal } = closing
  const repeat = async (ms: number, act: () => Promise<unknown>) => {
    while (!signal.aborted) {
      await act().catch(deps.onError)
      await sleep(ms, undefined, { signal, ref: false }).catch(() => {})
    }
  }
  /** Pauses after each transaction, so that other writers can proceed. */
  const whileMore = (act: () => Promise<boolean>) => async () => {
    while (!signal.aborted && (await act())) await sleep(pastPauseMs, undefined, { signal, ref: false }).catch(() => {})
  }
  const going = Promise.all([
    repeat(
      mergeMs,
      whileMore(() => mergeParts(deps)),
    ),
    repeat(
      60_000,
      whileMore(() => countPast(deps)),
    ),
    repeat(pruneMs, () => pruneCells(deps, retentionDays)),
  ])
  return async () => {
    closing.abort()
    await going
  }
}
