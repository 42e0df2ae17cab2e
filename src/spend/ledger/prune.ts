import { repeat } from '#platform/async/reconcile.ts'
import { dayMs, hourMs, type Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'

/** A batch blocks other statements of SQLite for some milliseconds. */
const maxBatchRows = 100

/**
 * Deletes the records of single requests from before an instant, each with its tags and feedback. Sums per day stay.
 * @returns how many records were deleted.
 */
export async function pruneGenerations({ db }: { db: Db }, before: number): Promise<number> {
  let pruned = 0
  for (;;) {
    const expiredRows = await db.query
      .selectFrom('generations')
      .select('id')
      .where('created_at', '<', before)
      .limit(maxBatchRows)
      .execute()
    const ids = expiredRows.map(({ id }) => id)
    if (ids.length > 0) await deleteGenerations(db, ids)
    pruned += ids.length
    if (ids.length < maxBatchRows) return pruned
  }
}

/** Deletes the tags and the feedback first, so that none remain without their record after an interruption. */
async function deleteGenerations({ query }: Db, ids: string[]): Promise<void> {
  await query.deleteFrom('request_tags').where('generation_id', 'in', ids).execute()
  await query.deleteFrom('generation_feedback').where('generation_id', 'in', ids).execute()
  await query.deleteFrom('generations').where('id', 'in', ids).execute()
}

const everyMs = hourMs

/** Prunes now and every hour. @returns a function that stops it. */
export function startPruning(
  deps: { db: Db; now: Now; onError: (error: Error) => void },
  retentionDays: number,
): () => void {
  const prune = () => pruneGenerations(deps, deps.now() - retentionDays * dayMs)
  return repeat(prune, { everyMs, onError: deps.onError })
}
