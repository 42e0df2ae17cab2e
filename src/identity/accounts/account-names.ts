import type { Query } from '#platform/db/db.ts'
import { readDeletedNames } from '../audit/audit.ts'
import { findKeyRows } from './keys/key-rows.ts'

type Db = { query: Query }

/** The names of an organization's users, by id, including those who have left. */
export function readUserNames(
  { query }: Db,
  organizationId: string,
  ids: Iterable<string>,
): Promise<Map<string, { name: string; email: string }>> {
  return readById(ids, (batch) =>
    query
      .selectFrom('memberships as m')
      .innerJoin('users as u', 'u.id', 'm.user_id')
      .where('m.organization_id', '=', organizationId)
      .where('u.id', 'in', batch)
      .select(['u.id', 'm.name', 'u.email'])
      .execute(),
  )
}

/** The names of keys, by hash. A deleted key has its last name. */
export async function readKeyNames(
  { query }: Db,
  organizationId: string,
  hashes: Iterable<string>,
): Promise<Map<string, { name: string }>> {
  const requested = [...hashes]
  const existing = await readById(requested, async (batch) => {
    const rows = await findKeyRows(query, organizationId, batch)
    return rows.map(({ hash, name }) => ({ id: hash, name }))
  })
  return addDeletedNames({ query }, organizationId, 'key', existing, requested)
}

/** The names of workspaces, by id. A deleted workspace has its last name. */
export async function readWorkspaceNames(
  { query }: Db,
  organizationId: string,
  ids: Iterable<string>,
): Promise<Map<string, { name: string }>> {
  const requested = [...ids]
  const existing = await readById(requested, (batch) =>
    query
      .selectFrom('workspaces')
      .where('organization_id', '=', organizationId)
      .where('id', 'in', batch)
      .select(['id', 'name'])
      .execute(),
  )
  return addDeletedNames({ query }, organizationId, 'workspace', existing, requested)
}

/** The maximum number of values in one statement. */
const maxValues = 1000

async function readById<T extends { id: string }>(
  ids: Iterable<string>,
  read: (batch: string[]) => Promise<T[]>,
): Promise<Map<string, T>> {
  const found = new Map<string, T>()
  const requested = [...new Set(ids)]
  for (let from = 0; from < requested.length; from += maxValues) {
    for (const row of await read(requested.slice(from, from + maxValues))) found.set(row.id, row)
  }
  return found
}

/** Adds the names of deleted objects from the audit log. */
async function addDeletedNames(
  db: Db,
  organizationId: string,
  kind: 'key' | 'workspace',
  existing: Map<string, { id: string; name: string }>,
  requested: string[],
): Promise<Map<string, { name: string }>> {
  const missing = requested.filter((id) => !existing.has(id))
  const deleted = await readById(missing, (batch) => readDeletedNames(db, organizationId, kind, batch))
  return new Map([...existing, ...deleted])
}
