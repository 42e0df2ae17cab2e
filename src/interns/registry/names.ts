import { namesOfDeleted } from '#identity/audit/audit.ts'
import type { Query } from '#platform/db/db.ts'

/** The names of interns, by id. A deleted one has its last name. @param ids of a page: not more than a statement takes. */
export async function namesOfInterns(
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
  const known = new Set(rows.map(({ id }) => id))
  const gone = ids.filter((id) => !known.has(id))
  const deleted = gone.length > 0 ? await namesOfDeleted({ query }, organizationId, 'intern', gone) : []
  return new Map([...rows, ...deleted].map(({ id, name }) => [id, { name }]))
}
