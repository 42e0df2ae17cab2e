import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { Runs } from '../contract/runs.ts'
import { endRunsOfStopped, type StartedRun, saveStartedRun } from './run-store.ts'

/**
 * A run that can be asked for at once, or whose cost counts although its intern is stopped the next moment, is written
 * down before its caller hears of it. One that cannot be does not go on.
 */
export async function storeRun(
  { db, now }: { db: Db; now: Now },
  runs: Pick<Runs, 'cancel'>,
  internId: string,
  run: StartedRun,
): Promise<void> {
  try {
    await db.exclusively(`intern:${internId}`, async (tx, announce) => {
      await saveStartedRun(tx, internId, run)
      announce('run.changed', internId)
      await endRunsOfStopped(tx, announce, internId, now)
    })
  } catch (error) {
    await runs.cancel(run.id).catch(() => false)
    throw error
  }
}
