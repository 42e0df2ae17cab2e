import { readDeletedNames } from '#identity/audit/audit.ts'
import type { Query } from '#platform/db/db.ts'

/** The names of interns, by id. A deleted one has its last name. @param ids of one page, within the limit of a statement. */
export async function findInternNames(
  { query }: { query: Query },
  organizationId: string,
  ids: string[],
): Promise<Map<string, { name: string }>> {
  if (ids.length === 0) return new Map()
  const rows = await query
    .selectFrom('interns')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .select(['id', 'name'])
    .execute()
  const found = new Set(rows.map(({ id }) => id))
  const missing = ids.filter((id) => !found.has(id))
  const deleted = missing.length > 0 ? await readDeletedNames({ query }, organizationId, 'intern', missing) : []
  return new Map([...rows, ...deleted].map(({ id, name }) => [id, { name }]))
}
