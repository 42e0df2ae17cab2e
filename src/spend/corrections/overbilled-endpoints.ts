import type { Db, Tx } from '#platform/db/db.ts'
import { addToExisting, type Insertion } from '#platform/db/rows/insert-rows.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import type { Generation } from '../ledger/generation.ts'

const columns = { endpoint: 'text', requests: 'bigint', last_at: 'bigint', last_generation: 'text' } as const

const conflictClause = `${addToExisting('overbilled_endpoints', ['endpoint'], ['requests'], { columns: /^$/, max: 0n })},
  last_at = excluded.last_at, last_generation = excluded.last_generation`

/** The statement that marks the endpoints of these requests. Empty if none billed too much. */
export function overbilledInsertions(generations: readonly Generation[]): Insertion[] {
  const found = new Map<string, [string, number, number, string]>()
  for (const { capped, endpointId, createdAt, id } of generations) {
    if (!capped || endpointId === undefined) continue
    const [, requests = 0] = found.get(endpointId) ?? []
    found.set(endpointId, [endpointId, requests + 1, createdAt, id])
  }
  if (found.size === 0) return []
  const rows = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  return [{ table: 'overbilled_endpoints', columns, rows, suffix: conflictClause }]
}

/** Marks the endpoint of a request that a later correction showed to be billed too much. */
export async function markOverbilled(tx: Tx, endpoint: string, { id, at }: { id: string; at: number }): Promise<void> {
  const row = { endpoint, requests: 1, last_at: at, last_generation: id }
  await upsert(tx, 'overbilled_endpoints', [row], {
    key: ['endpoint'],
    add: ['requests'],
    replace: ['requests', 'last_at', 'last_generation'],
  }).execute()
}

/** The endpoints of a model that billed more than requests could use, with the number of such requests. */
export async function overbilledEndpoints(
  { db }: { db: Pick<Db, 'reports'> },
  model: string,
): Promise<Map<string, number>> {
  const rows = await db.reports
    .selectFrom('overbilled_endpoints')
    .where('endpoint', '>=', `${model}@`)
    .where('endpoint', '<', `${model}A`)
    .select(['endpoint', 'requests'])
    .execute()
  return new Map(rows.map(({ endpoint, requests }) => [endpoint, Number(requests)]))
}
