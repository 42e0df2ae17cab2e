import type { Query } from '#db/db.ts'
import { type BegunRun, beginRun } from './run-store.ts'
import type { Runs } from './runs.ts'

/**
 * A run that can be asked for at once, or whose cost counts although its intern is stopped the next moment, is written
 * down before its caller hears of it. One that cannot be does not go on.
 */
export async function noteRun(
  { db }: { db: { query: Query } },
  runs: Pick<Runs, 'cancel'>,
  internId: string,
  run: BegunRun,
): Promise<void> {
  try {
    await beginRun(db.query, internId, run)
  } catch (error) {
    await runs.cancel(run.id).catch(() => false)
    throw error
  }
}
