import { backoffDelay } from '#platform/async/backoff.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import type { Insertion } from '#platform/db/rows/insert-rows.ts'
import type { Generation } from '../ledger/generation.ts'

/** A request whose cost is looked up at its provider. */
export type CostLookup = { id: string; attempts: number }

/** The delays after a request and after each failed attempt. The last attempt is about 8.5 minutes (512 s) after the request. */
export const lookupBackoff = { firstMs: 1000, maxMs: 512_000 }
/** The maximum number of attempts for one request. */
export const maxAttempts = 10

/** The columns of a scheduled lookup, with their types in SQL. */
const columns = { id: 'text', next_at: 'bigint', attempts: 'bigint' } as const

/** Creates the insertions that schedule the cost lookups of requests; none if no request has one. */
export function createLookupInsertions(generations: readonly Generation[]): Insertion[] {
  // Without a margin, the provider has reported the cost, so there is nothing to correct.
  const rows = generations
    .filter(({ hasCostLookup, margin }) => hasCostLookup === true && margin > 0n)
    .map(({ id, createdAt, durationMs }) => [id, Math.round(createdAt + durationMs) + lookupBackoff.firstMs, 0])
  return rows.length === 0 ? [] : [{ table: 'cost_lookups', columns, rows }]
}

/**
 * Claims the lookups that are due by scheduling their next attempts. This prevents other servers from making the same lookups now,
 * and another server retries them if this one stops.
 */
export async function claimCostLookups(db: Db, now: number, limit: number): Promise<CostLookup[]> {
  const dueLookups = await db.query
    .selectFrom('cost_lookups')
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .select(['id', 'attempts'])
    .limit(limit)
    .execute()
  const claimedLookups: CostLookup[] = []
  for (const { id, attempts } of dueLookups) {
    const { numUpdatedRows } = await db.query
      .updateTable('cost_lookups')
      .set({ attempts: attempts + 1, next_at: now + backoffDelay(lookupBackoff, attempts + 1) })
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) claimedLookups.push({ id, attempts: attempts + 1 })
  }
  return claimedLookups
}

/** Returns the time of the next lookup; undefined without lookups. */
export async function findNextLookupTime(query: Query): Promise<number | undefined> {
  const row = await query
    .selectFrom('cost_lookups')
    .select((e) => e.fn.min('next_at').as('at'))
    .executeTakeFirst()
  return row?.at == null ? undefined : Number(row.at)
}

export async function deleteCostLookups(query: Query | Tx, ids: readonly string[]): Promise<void> {
  await query.deleteFrom('cost_lookups').where('id', 'in', ids).execute()
}
