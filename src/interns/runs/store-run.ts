import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { DaemonApi } from '../contract/daemon-api.ts'
import { endRunsOfStopped } from './end-runs.ts'
import { type StartedRun, saveStartedRun } from './run-store.ts'

/**
 * Stores a run before its caller receives its id, so that it can be cancelled, and its cost counts even if its intern is
 * stopped. A run that cannot be stored is cancelled.
 */
export async function storeRun(
  { db, now }: { db: Db; now: Now },
  runs: Pick<DaemonApi, 'cancel'>,
  internId: string,
  run: StartedRun,
): Promise<void> {
  try {
    await db.exclusively(`intern:${internId}`, async (tx, publish) => {
      await saveStartedRun(tx, internId, run)
      publish('run.changed', internId)
      await endRunsOfStopped(tx, publish, internId, now)
    })
  } catch (error) {
    await runs.cancel(run.id).catch(() => false)
    throw error
  }
}
