import type { Db, Tx } from '#platform/db/db.ts'
import { addToExisting, type Insertion } from '#platform/db/rows/insert-rows.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import type { Generation } from '../ledger/generation.ts'

const columns = { endpoint: 'text', requests: 'bigint', last_at: 'bigint', last_generation: 'text' } as const

const conflictClause = `${addToExisting('overbilled_endpoints', ['endpoint'], ['requests'])},
  last_at = excluded.last_at, last_generation = excluded.last_generation`

/** Creates the insertion that marks the endpoints of requests that billed too much; none if no endpoint did. */
export function createOverbilledInsertions(generations: readonly Generation[]): Insertion[] {
  const byEndpoint = new Map<string, { requests: number; lastAt: number; lastId: string }>()
  for (const { capped, endpointId, createdAt, id } of generations) {
    if (!capped || endpointId === undefined) continue
    const requests = byEndpoint.get(endpointId)?.requests ?? 0
    byEndpoint.set(endpointId, { requests: requests + 1, lastAt: createdAt, lastId: id })
  }
  if (byEndpoint.size === 0) return []
  // Sorted: two servers that lock the same rows in different orders would deadlock.
  const sorted = [...byEndpoint].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const rows = sorted.map(([endpoint, { requests, lastAt, lastId }]) => [endpoint, requests, lastAt, lastId])
  return [{ table: 'overbilled_endpoints', columns, rows, suffix: conflictClause }]
}

/** Marks the endpoint of a request that a later correction showed to be billed too much. */
export async function markOverbilled(tx: Tx, endpoint: string, { id, at }: { id: string; at: number }): Promise<void> {
  const row = { endpoint, requests: 1, last_at: at, last_generation: id }
  await upsert(tx, 'overbilled_endpoints', [row], {
    key: ['endpoint'],
    add: ['requests'],
  }).execute()
}

/** The endpoints of a model that billed more than requests could use, with the number of such requests. */
export async function readOverbilledEndpoints(
  { db }: { db: Pick<Db, 'reportQuery'> },
  model: string,
): Promise<Map<string, number>> {
  // The ids of a model's endpoints are `<model>@<tag>`. `A` follows `@`, so both bounds select by the index.
  const rows = await db.reportQuery
    .selectFrom('overbilled_endpoints')
    .where('endpoint', '>=', `${model}@`)
    .where('endpoint', '<', `${model}A`)
    .select(['endpoint', 'requests'])
    .execute()
  return new Map(rows.map(({ endpoint, requests }) => [endpoint, Number(requests)]))
}
