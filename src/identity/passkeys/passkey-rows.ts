import type { Insertable, Selectable } from 'kysely'
import type { Query, Tx } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { PageQuery } from '#platform/json/page.ts'

// The statements on the table of passkeys.

export type PasskeyRow = Selectable<Tables['passkeys']>

/** The passkeys of an organization or of one member. */
export type PasskeyScope = { organizationId: string; userId?: string | undefined }

/**
 * A page of the passkeys of members, newest first, with the names of the members. Former members have none, because their
 * passkeys are deleted when they leave.
 */
export async function readPasskeyPage(
  query: Query,
  { organizationId, userId }: PasskeyScope,
  { offset, limit }: PageQuery,
) {
  let matching = query
    .selectFrom('passkeys as p')
    .innerJoin('memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 'p.organization_id').onRef('m.user_id', '=', 'p.user_id'),
    )
    .innerJoin('users as u', 'u.id', 'p.user_id')
    .where('p.organization_id', '=', organizationId)
  if (userId !== undefined) matching = matching.where('p.user_id', '=', userId)
  const [rows, { total }] = await Promise.all([
    matching
      .selectAll('p')
      .select(['m.name as member_name', 'u.email as member_email'])
      .orderBy('p.created_at', 'desc')
      .orderBy('p.id')
      .offset(offset)
      .limit(limit)
      .execute(),
    matching.select((row) => row.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { rows, total }
}

export function findPasskeysOfMember(query: Query | Tx, organizationId: string, userId: string): Promise<PasskeyRow[]> {
  return query
    .selectFrom('passkeys')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .selectAll()
    .execute()
}

export function findPasskeyByCredential(query: Query | Tx, credentialId: string): Promise<PasskeyRow | undefined> {
  return query.selectFrom('passkeys').where('credential_id', '=', credentialId).selectAll().executeTakeFirst()
}

export function findPasskey(tx: Tx, { organizationId, userId }: PasskeyScope, id: string) {
  let matching = tx.selectFrom('passkeys').where('organization_id', '=', organizationId).where('id', '=', id)
  if (userId !== undefined) matching = matching.where('user_id', '=', userId)
  return matching.selectAll().executeTakeFirst()
}

export async function insertPasskey(tx: Tx, row: Insertable<Tables['passkeys']>): Promise<void> {
  await tx.insertInto('passkeys').values(row).execute()
}

export async function updatePasskeyRow(
  tx: Tx,
  id: string,
  changed: Partial<Pick<PasskeyRow, 'name' | 'signatures' | 'last_used_at'>>,
): Promise<void> {
  await tx.updateTable('passkeys').set(changed).where('id', '=', id).execute()
}

export async function deletePasskeyRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('passkeys').where('id', '=', id).execute()
}
