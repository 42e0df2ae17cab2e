import type { Insertable } from 'kysely'
import type { Query, Tx } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { PageQuery } from '#platform/json/page.ts'
import type { SessionLifetimes, SessionRow } from './session.ts'

// The statements on the table of sessions.

export function findSessionRow(query: Query | Tx, id: string): Promise<SessionRow | undefined> {
  return query.selectFrom('browser_sessions').where('id', '=', id).selectAll().executeTakeFirst()
}

/** Selects the sessions of an organization, of one member, or those that were started with one key. */
export type SessionScope = { organizationId: string; userId?: string | undefined; keyHash?: string | undefined }

/** Returns a page of the valid sessions, most recently used first. */
export async function readSessionPage(
  query: Query,
  { organizationId, userId, keyHash }: SessionScope,
  { offset, limit }: PageQuery,
  { now, idleMs }: { now: number } & SessionLifetimes,
) {
  let matching = query
    .selectFrom('browser_sessions as s')
    .innerJoin('memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 's.organization_id').onRef('m.user_id', '=', 's.user_id'),
    )
    .innerJoin('users as u', 'u.id', 's.user_id')
    .where('s.organization_id', '=', organizationId)
    .where('m.left_at', 'is', null)
    .where('s.expires_at', '>', now)
    .where('s.seen_at', '>', now - idleMs)
  if (userId !== undefined) matching = matching.where('s.user_id', '=', userId)
  if (keyHash !== undefined) matching = matching.where('s.using_key_hash', '=', keyHash)
  const [rows, { total }] = await Promise.all([
    matching
      .selectAll('s')
      .select(['m.name', 'u.email'])
      .orderBy('s.seen_at', 'desc')
      .orderBy('s.id')
      .offset(offset)
      .limit(limit)
      .execute(),
    matching.select((row) => row.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { rows, total }
}

export async function insertSessionRow(tx: Tx, row: Insertable<Tables['browser_sessions']>): Promise<void> {
  await tx.insertInto('browser_sessions').values(row).execute()
}

export async function touchSessionRow(tx: Tx, id: string, seenAt: number): Promise<void> {
  await tx
    .updateTable('browser_sessions')
    .set({ seen_at: seenAt })
    .where('id', '=', id)
    .where('seen_at', '<', seenAt)
    .execute()
}

export async function deleteSessionRow(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('browser_sessions').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes expired sessions and links. */
export async function pruneSignIns(tx: Tx, now: number, { idleMs }: SessionLifetimes): Promise<void> {
  await tx
    .deleteFrom('browser_sessions')
    .where((row) => row.or([row('expires_at', '<=', now), row('seen_at', '<=', now - idleMs)]))
    .execute()
  await tx.deleteFrom('sign_in_links').where('expires_at', '<=', now).execute()
  await tx.deleteFrom('passkey_challenges').where('expires_at', '<=', now).execute()
}

/** Deletes the sessions that a passkey started. @returns their IDs. */
export async function deleteSessionsOfPasskey(tx: Tx, passkeyId: string): Promise<string[]> {
  const ended = await tx.deleteFrom('browser_sessions').where('passkey_id', '=', passkeyId).returning('id').execute()
  return ended.map(({ id }) => id)
}
