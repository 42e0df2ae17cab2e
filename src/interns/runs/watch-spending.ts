import { setTimeout as sleep } from 'node:timers/promises'
import type { Query } from '#platform/db/db.ts'
import type { Runs } from '../contract/runs.ts'
import { internById } from '../registry/store.ts'
import { limitedRuns } from './limited-turns.ts'
import type { Spent } from './run-spending.ts'

type WatchDeps = { db: { query: Query }; spent: Spent; onError: (error: Error) => void }

const lookEveryMs = 500

/**
 * Ends turns of an intern that have cost what they may, by what was metered for the intern's key since they began, and those
 * whose budget left no room for a request. Of an
 * agent that tells what it spends, its daemon knows sooner. While no turn is limited nothing is looked at.
 * @returns what is to be called when a turn may have begun that is limited.
 */
export function watchSpending(deps: WatchDeps, internId: string, runsOf: () => Runs, signal: AbortSignal): () => void {
  let isWanted = false
  let isWatching = false
  let hasFailed = false
  const look = async () => {
    try {
      isWanted = (await endSpent(deps, internId, runsOf())) || isWanted
      hasFailed = false
    } catch (error) {
      isWanted = true
      // Once, not twice a second.
      if (!hasFailed) deps.onError(new Error(`The budgets of the intern ${internId}: ${(error as Error).message}`))
      hasFailed = true
    }
  }
  const watch = async () => {
    isWatching = true
    while (isWanted && !signal.aborted) {
      isWanted = false
      await look()
      await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => {})
    }
    isWatching = false
  }
  return () => {
    isWanted = true
    if (!isWatching) void watch()
  }
}

/** @returns whether any of its turns are limited. */
async function endSpent({ db, spent }: WatchDeps, internId: string, runs: Pick<Runs, 'cancel'>): Promise<boolean> {
  const limited = await limitedRuns(db.query, internId)
  const keyHash = limited.length > 0 && (await internById(db.query, internId))?.keyHash
  if (!keyHash) return false
  for (const { runId, beganAt, costUsd, part, refused } of limited)
    if (refused) await runs.cancel(runId, refused.part, refused.neededUsd)
    else if ((await spent(keyHash, beganAt)) >= costUsd) await runs.cancel(runId, part)
  return true
}
