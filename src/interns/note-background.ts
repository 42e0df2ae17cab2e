import type { Query } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import { type BegunRun, beginRun } from './run-store.ts'
import type { Runs } from './runs.ts'

/** A run in the background is written down so that it can be asked for at once. One that nobody could ask for does not go on. */
export async function noteBackground(
  { db, now }: { db: { query: Query }; now: Now },
  runs: Pick<Runs, 'cancel'>,
  internId: string,
  run: Pick<BegunRun, 'id' | 'sessionId' | 'startedBy' | 'keyHash'>,
): Promise<void> {
  try {
    await beginRun(db.query, internId, { ...run, background: true, beganAt: now() })
  } catch (error) {
    await runs.cancel(run.id).catch(() => false)
    throw error
  }
}
