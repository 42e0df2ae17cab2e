import { repeat } from '#platform/async/reconcile.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'

/** A batch blocks other statements of SQLite for some milliseconds. */
const rowsAtOnce = 100

/** Deletes the records of single requests from before an instant, their tags and feedback. Sums per day stay. */
export async function pruneGenerations(deps: { db: Db }, before: number): Promise<number> {
  await pruneTable(deps, { table: 'request_tags', key: 'generation_id' }, before)
  await pruneTable(deps, { table: 'generation_feedback', key: 'id' }, before)
  return pruneTable(deps, { table: 'generations', key: 'id' }, before)
}

type Pruned =
  | { table: 'generations' | 'generation_feedback'; key: 'id' }
  | { table: 'request_tags'; key: 'generation_id' }

/** Deletes old rows, a few at a time. */
async function pruneTable({ db }: { db: Db }, { table, key }: Pruned, before: number): Promise<number> {
  let pruned = 0
  for (;;) {
    const old = db.query
      .selectFrom(table)
      .select(key as 'id')
      .where('created_at', '<', before)
      .limit(rowsAtOnce)
    const { numDeletedRows } = await db.query
      .deleteFrom(table)
      .where(key as 'id', 'in', old)
      .executeTakeFirst()
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
