import { startReconciler } from '#platform/async/reconcile.ts'
import type { Db } from '#platform/db/db.ts'
import { subscribeToEntity } from '#platform/db/signals.ts'
import type { DaemonApi } from '../contract/daemon-api.ts'
import { findInternById } from '../registry/intern-store.ts'
import { findLimitedRuns } from './limited-turns.ts'
import type { ReadSpending } from './run-spending.ts'

type WatchDeps = { db: Pick<Db, 'query' | 'signals'>; readSpending: ReadSpending; onError: (error: Error) => void }

/** No notification announces spending, so it is compared with the limits at this interval while a run has a cost limit. */
const compareEveryMs = 500

/**
 * Cancels runs of an intern whose metered cost reached their limit, and runs with a request that a budget refused. The
 * daemon notices the cost earlier if its agent reports it. Makes no query while no run is limited.
 * @returns a trigger. Call it when a limited run may have started.
 */
export function watchSpending(
  deps: WatchDeps,
  internId: string,
  getRuns: () => DaemonApi,
  signal: AbortSignal,
): () => void {
  let hasLimitedRuns = true
  let hasFailed = false

  async function cancelSpent(): Promise<number | undefined> {
    // A run that starts during the query must trigger another check.
    hasLimitedRuns = true
    hasLimitedRuns = await cancelSpentRuns(deps, internId, getRuns())
    hasFailed = false
    // The delay until the next check.
    return hasLimitedRuns ? compareEveryMs : undefined
  }
  function onError({ message }: Error): void {
    // Reports only the first failure in a row, because the check runs twice a second.
    if (!hasFailed) deps.onError(new Error(`Failed to check the budgets of intern ${internId}: ${message}`))
    hasFailed = true
  }

  const { trigger } = startReconciler(cancelSpent, { signal, retryMs: compareEveryMs, onError })
  const unsubscribe = subscribeToEntity(deps.db.signals, 'run.changed', internId)(() => hasLimitedRuns && trigger())
  signal.addEventListener('abort', unsubscribe)
  return trigger
}

/** @returns whether the intern has limited runs; false also without a key, under which their cost would be metered. */
async function cancelSpentRuns(
  { db, readSpending }: WatchDeps,
  internId: string,
  runs: Pick<DaemonApi, 'cancel'>,
): Promise<boolean> {
  const limitedRuns = await findLimitedRuns(db.query, internId)
  const keyHash = limitedRuns.length > 0 && (await findInternById(db.query, internId))?.keyHash
  if (!keyHash) return false
  for (const { runId, startedAt, maxCostUsd, limitName, refused } of limitedRuns)
    if (refused) await runs.cancel(runId, refused.part, refused.neededUsd)
    else if ((await readSpending(keyHash, startedAt)).usd >= maxCostUsd) await runs.cancel(runId, limitName)
  return true
}
