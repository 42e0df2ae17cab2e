import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { type RequestReader, visibleRows } from './list/visibility.ts'
import { type GenerationRecord, recordColumns, toGenerationRecord } from './record.ts'

/** Reads the record of one request, by its id or the upstream's id. If several have that id, returns the latest. */
export async function findGeneration(deps: { db: Db }, caller: RequestReader, id: string): Promise<GenerationRecord> {
  const visible = visibleRows(caller)
  const find = (column: 'id' | 'upstream_id') =>
    deps.db.query
      .selectFrom('generations')
      .select(recordColumns)
      .where(column, '=', id)
      .where(visible.column, '=', visible.value)
      .where('organization_id', '=', visible.organizationId)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst()
  const row = (await find('id')) ?? (await find('upstream_id'))
  if (row) return toGenerationRecord(row)
  throw new Fault(
    'not_found',
    'Generation not found. It may not be written yet, which takes up to a second, or it was deleted because of its age.',
  )
}

/** The maximum number of ids in one statement. */
const idsPerQuery = 500

/** The stored requests with these ids and their owners, in any order. */
export async function readGenerations(
  { db }: { db: Pick<Db, 'reportQuery'> },
  ids: readonly string[],
): Promise<{ organizationId: string; record: GenerationRecord }[]> {
  const requests: { organizationId: string; record: GenerationRecord }[] = []
  for (let from = 0; from < ids.length; from += idsPerQuery) {
    const rows = await db.reportQuery
      .selectFrom('generations')
      .where('id', 'in', ids.slice(from, from + idsPerQuery))
      .select([...recordColumns, 'organization_id'])
      .execute()
    for (const { organization_id: organizationId, ...row } of rows)
      requests.push({ organizationId, record: toGenerationRecord(row) })
  }
  return requests
}
