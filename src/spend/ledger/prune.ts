import { repeat } from '#platform/async/reconcile.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'

/** A batch blocks other statements of SQLite for some milliseconds. */
const rowsAtOnce = 100

/** Deletes the records of single requests from before an instant, a few at a time. Sums per day stay. */
export async function pruneGenerations(deps: { db: Db }, before: number): Promise<number> {
  let pruned = 0
  for (;;) {
    const old = deps.db.query.selectFrom('generations').select('id').where('created_at', '<', before).limit(rowsAtOnce)
    const { numDeletedRows } = await deps.db.query.deleteFrom('generations').where('id', 'in', old).executeTakeFirst()
    pruned += Number(numDeletedRows)
    if (Number(numDeletedRows) < rowsAtOnce) return pruned
  }
}

const everyMs = 3_600_000
const dayMs = 86_400_000

/** Prunes now and every hour. @returns a function that stops it. */
export function keepPruning(
  deps: { db: Db; now: Now; onError: (error: Error) => void },
  retentionDays: number,
): () => void {
  const prune = () => pruneGenerations(deps, deps.now() - retentionDays * dayMs)
  return repeat(prune, { everyMs, onError: deps.onError })
}
