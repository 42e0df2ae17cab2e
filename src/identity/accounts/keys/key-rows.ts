import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query, Tx } from '#platform/db/db.ts'
import { wordsOccur } from '#platform/db/rows/words-occur.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { PageQuery } from '#platform/json/page.ts'

// The statements on the table of keys. Joins that only add the name of a key are in the folders of the joined tables.

export type KeyRow = Selectable<Tables['api_keys']>

export type KeysQuery = PageQuery & {
  include_disabled: boolean
  /** Words that all occur in the name, label or member of a key; or its hash. */
  q?: string | undefined
}

const searchedColumns = ['k.name', 'k.label', 'k.external_user', 'm.name', 'u.email']

/** Returns a page of the keys of a workspace, newest first. */
export async function readKeyRowPage(
  query: Query,
  workspaceId: string,
  { offset, limit, include_disabled, q }: KeysQuery,
  creatorUserId?: string,
): Promise<{ rows: KeyRow[]; total: number }> {
  let matching = query
    .selectFrom('api_keys as k')
    .where('k.workspace_id', '=', workspaceId)
    .$if(q !== undefined, (keys) =>
      keys
        .leftJoin('memberships as m', (join) =>
          join.onRef('m.organization_id', '=', 'k.organization_id').onRef('m.user_id', '=', 'k.creator_user_id'),
        )
        .leftJoin('users as u', 'u.id', 'k.creator_user_id'),
    )
  // Short texts occur in many hashes by chance, so only a complete hash matches.
  if (q !== undefined)
    matching = matching.where((key) => key.or([wordsOccur(q, searchedColumns), key('k.hash', '=', q)]))
  if (creatorUserId !== undefined) matching = matching.where('k.creator_user_id', '=', creatorUserId)
  if (!include_disabled) matching = matching.where('k.disabled', '=', 0)
  const [rows, { total }] = await Promise.all([
    matching.selectAll('k').orderBy('k.created_at', 'desc').orderBy('k.hash').offset(offset).limit(limit).execute(),
    matching.select((key) => key.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { rows, total }
}

export function findKeyRow(query: Query | Tx, organizationId: string, hash: string): Promise<KeyRow | undefined> {
  return query
    .selectFrom('api_keys')
    .where('organization_id', '=', organizationId)
    .where('hash', '=', hash)
    .selectAll()
    .executeTakeFirst()
}

/** Finds the keys of the organization with these hashes. */
export async function findKeyRows(query: Query | Tx, organizationId: string, hashes: string[]): Promise<KeyRow[]> {
  // Postgres refuses an empty list.
  if (hashes.length === 0) return []
  return query
    .selectFrom('api_keys')
    .where('organization_id', '=', organizationId)
    .where('hash', 'in', hashes)
    .selectAll()
    .execute()
}

type ExpiringKeysFilter = {
  from: number
  to: number
  offset: number
  limit: number
  workspaceId?: string | undefined
  creatorUserId?: string | undefined
}

/** A page of the enabled keys of the organization that expire within a time, soonest first. `total` counts all pages. */
export async function readExpiringKeyRows(
  query: Query,
  organizationId: string,
  { from, to, offset, limit, workspaceId, creatorUserId }: ExpiringKeysFilter,
): Promise<{ rows: KeyRow[]; total: number }> {
  let matching = query
    .selectFrom('api_keys')
    .where('organization_id', '=', organizationId)
    .where('disabled', '=', 0)
    .where('expires_at', '>', from)
    .where('expires_at', '<', to)
  if (workspaceId !== undefined) matching = matching.where('workspace_id', '=', workspaceId)
  if (creatorUserId !== undefined) matching = matching.where('creator_user_id', '=', creatorUserId)
  const [rows, { total }] = await Promise.all([
    matching.selectAll().orderBy('expires_at').orderBy('hash').offset(offset).limit(limit).execute(),
    matching.select((key) => key.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { rows, total }
}

/** Whether a key with this hash exists, disabled or not. */
export async function keyExists(query: Query | Tx, hash: string): Promise<boolean> {
  return (await query.selectFrom('api_keys').where('hash', '=', hash).select('hash').executeTakeFirst()) !== undefined
}

/** The enabled management keys of an organization, including expired ones. */
export function findEnabledManagementKeys(tx: Tx, organizationId: string): Promise<KeyRow[]> {
  return tx
    .selectFrom('api_keys')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'management')
    .where('disabled', '=', 0)
    .selectAll()
    .execute()
}

/** The enabled keys of a member, except those of interns. */
export function findEnabledKeysOfMember(tx: Tx, organizationId: string, userId: string): Promise<KeyRow[]> {
  return enabledKeysFor(tx, userId)
    .where('organization_id', '=', organizationId)
    .where('kind', '!=', 'intern')
    .execute()
}

/** The enabled API keys of a member in a workspace. */
export function findEnabledKeysInWorkspace(tx: Tx, workspaceId: string, userId: string): Promise<KeyRow[]> {
  return enabledKeysFor(tx, userId).where('workspace_id', '=', workspaceId).where('kind', '=', 'api').execute()
}

const enabledKeysFor = (tx: Tx, userId: string) =>
  tx.selectFrom('api_keys').where('creator_user_id', '=', userId).where('disabled', '=', 0).selectAll()

export async function countEnabledKeys(tx: Tx, workspaceId: string): Promise<number> {
  const { keys } = await tx
    .selectFrom('api_keys')
    .where('workspace_id', '=', workspaceId)
    .where('disabled', '=', 0)
    .select((key) => key.fn.countAll<number>().as('keys'))
    .executeTakeFirstOrThrow()
  return keys
}

export async function insertKeyRow(tx: Tx, row: Insertable<Tables['api_keys']>): Promise<void> {
  await tx.insertInto('api_keys').values(row).execute()
}

export async function updateKeyRow(tx: Tx, hash: string, changed: Updateable<Tables['api_keys']>): Promise<void> {
  await tx.updateTable('api_keys').set(changed).where('hash', '=', hash).execute()
}

export async function deleteKeyRow(tx: Tx, hash: string): Promise<void> {
  await tx.deleteFrom('api_keys').where('hash', '=', hash).execute()
}

/** @returns the rows that were deleted. */
export function deleteKeyRowsOfWorkspace(tx: Tx, workspaceId: string): Promise<KeyRow[]> {
  return tx.deleteFrom('api_keys').where('workspace_id', '=', workspaceId).returningAll().execute()
}

/**
 * Selects keys with the membership of their owner and their organization, which decide whether they are valid.
 * @param hashes of the keys. Unknown ones have no row.
 */
export function selectKeysWithOwners(query: Query, hashes: string[]) {
  return query
    .selectFrom('api_keys as k')
    .leftJoin('memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 'k.organization_id').onRef('m.user_id', '=', 'k.creator_user_id'),
    )
    .innerJoin('organizations as o', 'o.id', 'k.organization_id')
    .leftJoin('workspaces as w', 'w.id', 'k.workspace_id')
    .leftJoin('workspace_members as wm', (join) =>
      join.onRef('wm.workspace_id', '=', 'k.workspace_id').onRef('wm.user_id', '=', 'k.creator_user_id'),
    )
    .where('k.hash', 'in', hashes)
    .select(['k.hash', 'k.kind', 'k.name', 'k.organization_id', 'k.workspace_id', 'k.creator_user_id'])
    .select([
      'k.disabled',
      'k.expires_at',
      'k.limit_usd',
      'k.limit_reset',
      'k.include_byok_in_limit',
      'k.interns_grant',
    ])
    .select(['m.joined_at', 'm.left_at', 'm.role', 'wm.role as workspace_role', 'o.interns_programme'])
    .select(['w.io_logging', 'w.io_logging_rate', 'w.io_logging_keys'])
}
