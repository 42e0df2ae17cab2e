import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import type { Page } from '#platform/json/page.ts'
import { recordChange } from '../../audit/audit.ts'
import { accountsLock } from '../accounts-lock.ts'
import { type Caller, type CallerScope, reachesWorkspace } from '../caller.ts'
import type { Member } from '../members/member.ts'
import { findMember, resolveUserId } from '../members/members.ts'
import { findWorkspaceMember } from '../members/workspace-membership.ts'
import { reachesAllWorkspaces } from '../role.ts'
import { resolveWorkspaceId } from '../workspaces.ts'
import { insertKey } from './insert-key.ts'
import { type KeyPatch, type KeyRecord, type NewKey, toKeyRecord } from './key.ts'
import { keyNotFound, requireCanChange, requireCanCreate, visibleCreatorId } from './key-access.ts'
import {
  deleteKeyRow,
  findKeyRow,
  findKeyRows,
  type KeysQuery,
  readExpiringKeyRows,
  readKeyRowPage,
  updateKeyRow,
} from './key-rows.ts'
import { requireOtherManagementKey } from './last-management-key.ts'
import { newSecret } from './secret.ts'

type KeysDeps = { db: Db; now: Now; newId: NewId }

type ChangeDeps = KeysDeps & {
  /** Deletes the stored sums of a budget. The next request reads them from the ledger. */
  deleteSpending: (tx: Tx, budget: string) => Promise<void>
}

/** The keys of one workspace, the newest first. */
export async function listKeys(
  deps: { db: Db },
  workspaceId: string,
  page: KeysQuery,
  caller: Pick<Caller, 'access' | 'userId'>,
): Promise<Page<KeyRecord>> {
  const { rows, total } = await readKeyRowPage(deps.db.query, workspaceId, page, visibleCreatorId(caller))
  return { data: rows.map(toKeyRecord), total_count: total }
}

/** The keys with these hashes that the caller can see, of all workspaces that it reaches, in the order of the hashes. */
export async function listKeysByHash(
  deps: { db: Db },
  caller: Caller,
  hashes: readonly string[],
): Promise<KeyRecord[]> {
  const creator = visibleCreatorId(caller)
  const distinctHashes = [...new Set(hashes)]
  const rows = new Map(
    (await findKeyRows(deps.db.query, caller.organizationId, distinctHashes)).map((row) => [row.hash, row]),
  )
  return distinctHashes
    .flatMap((hash) => rows.get(hash) ?? [])
    .filter((row) => reachesWorkspace(caller, row.workspace_id))
    .filter((row) => creator === undefined || row.creator_user_id === creator)
    .map(toKeyRecord)
}

/** The enabled keys that expire before a time, of all workspaces that the caller reaches, soonest first. */
export async function listExpiringKeys(
  deps: { db: Db; now: Now },
  caller: Caller,
  { expiresBefore, offset, limit }: { expiresBefore: number; offset: number; limit: number },
): Promise<Page<KeyRecord>> {
  const { rows, total } = await readExpiringKeyRows(deps.db.query, caller.organizationId, {
    from: deps.now(),
    to: expiresBefore,
    offset,
    limit,
    workspaceId: caller.isWorkspaceScoped ? caller.workspaceId : undefined,
    creatorUserId: visibleCreatorId(caller),
  })
  return { data: rows.map(toKeyRecord), total_count: total }
}

/**
 * Returns a key of any creator; routes for developers check the creator, too.
 * @throws Fault `not_found` if it does not exist, or is in a workspace that the caller does not reach.
 */
export async function getKey(deps: { db: { query: Query } }, caller: CallerScope, hash: string): Promise<KeyRecord> {
  const row = await findKeyRow(deps.db.query, caller.organizationId, hash)
  if (!row || !reachesWorkspace(caller, row.workspace_id)) throw keyNotFound()
  return toKeyRecord(row)
}

/** Returns the key of the caller. A session that acts in another workspace still has its own key. */
export function getOwnKey(deps: { db: { query: Query } }, caller: CallerScope & Pick<Caller, 'keyHash'>) {
  return getKey(deps, { ...caller, isWorkspaceScoped: false }, caller.keyHash)
}

/** @returns the key and its secret, which is not stored. */
export async function createKey(
  deps: KeysDeps,
  caller: Caller,
  newKey: NewKey,
): Promise<{ key: KeyRecord; secret: string }> {
  const expiresAt = readExpiry(deps, newKey.expires_at)
  const secret = newSecret()
  return deps.db.exclusively(accountsLock(caller.organizationId), async (tx, publish) => {
    const workspaceId = await resolveWorkspaceId({ db: { query: tx } }, caller, newKey.workspace_id)
    const member = await resolveCreator(tx, caller, newKey, workspaceId)
    requireCanCreate(caller, newKey, member, workspaceId)
    const owner = { organizationId: caller.organizationId, userId: member.userId, workspaceId }
    const key = await insertKey(deps, tx, owner, {
      secret,
      kind: newKey.kind,
      name: newKey.name,
      limitUsd: newKey.limit ?? null,
      limitReset: newKey.limit_reset ?? null,
      includeByokInLimit: newKey.include_byok_in_limit,
      expiresAt: expiresAt ?? null,
      externalUser: newKey.external?.user ?? null,
    })
    await recordChange(deps, tx, caller, {
      action: 'key.created',
      targetKind: 'key',
      targetId: key.hash,
      before: null,
      after: key,
    })
    publish('key.changed', key.hash)
    return { key, secret }
  })
}

/** @throws Fault `invalid` if the member for whom the key acts does not belong to the organization or workspace. */
async function resolveCreator(tx: Tx, caller: Caller, newKey: NewKey, workspaceId: string): Promise<Member> {
  const { organizationId } = caller
  const userId = await resolveUserId(tx, organizationId, newKey.creator_user_id ?? caller.userId)
  const member = userId === undefined ? undefined : await findMember(tx, organizationId, userId)
  if (!member) throw new Fault('invalid', 'Invalid request: creator_user_id: member not found')
  const { email } = member
  if (newKey.kind === 'management' || reachesAllWorkspaces(member.role)) return member
  if (await findWorkspaceMember(tx, organizationId, workspaceId, member.userId)) return member
  throw new Fault(
    'invalid',
    `Invalid request: creator_user_id: ${email} is not a member of the workspace; add them first`,
  )
}

/** @throws Fault `conflict` if nobody could manage the organization afterwards. */
export async function changeKey(deps: ChangeDeps, caller: Caller, hash: string, patch: KeyPatch): Promise<KeyRecord> {
  const expiresAt = readExpiry(deps, patch.expires_at)
  return deps.db.exclusively(accountsLock(caller.organizationId), async (tx, publish) => {
    const previousKey = await getKey({ db: { query: tx } }, caller, hash)
    requireCanChange(caller, previousKey, patch)
    if (isUnchanged(previousKey, patch, expiresAt)) return previousKey
    // A disabled key counts as expired. Without a change of the expiry, another key is not required.
    const newExpiry = patch.disabled ? 0 : expiresAt
    if (typeof newExpiry === 'number')
      await requireOtherManagementKey(deps, tx, previousKey, caller.organizationId, newExpiry)
    await updateKeyRow(tx, hash, { ...patchColumns(patch), expires_at: expiresAt, updated_at: deps.now() })
    const updatedKey = await getKey({ db: { query: tx } }, caller, hash)
    // Without a limit, the stored sums are not updated, and they lack or contain the spending with BYOK keys. A new limit, or one that
    // counts other costs, starts with the spending in the ledger.
    if (previousKey.limit === null || previousKey.include_byok_in_limit !== updatedKey.include_byok_in_limit)
      await deps.deleteSpending(tx, `key:${hash}`)
    await recordChange(deps, tx, caller, {
      action: 'key.updated',
      targetKind: 'key',
      targetId: hash,
      before: previousKey,
      after: updatedKey,
    })
    publish('key.changed', hash)
    return updatedKey
  })
}

/** @throws Fault `conflict` if nobody could manage the organization afterwards. */
export async function deleteKey(deps: KeysDeps, caller: Caller, hash: string): Promise<void> {
  await deps.db.exclusively(accountsLock(caller.organizationId), async (tx, publish) => {
    const key = await getKey({ db: { query: tx } }, caller, hash)
    requireCanChange(caller, key)
    await requireOtherManagementKey(deps, tx, key, caller.organizationId)
    await deleteKeyRow(tx, hash)
    await recordChange(deps, tx, caller, {
      action: 'key.deleted',
      targetKind: 'key',
      targetId: hash,
      before: key,
      after: null,
    })
    publish('key.changed', hash)
  })
}

/** Returns the columns to change. Omitted fields are not changed. */
function patchColumns({ name, limit, limit_reset, ...flags }: KeyPatch) {
  const flag = (value: boolean | undefined) => (value === undefined ? undefined : Number(value))
  return {
    name,
    limit_usd: limit,
    limit_reset,
    disabled: flag(flags.disabled),
    include_byok_in_limit: flag(flags.include_byok_in_limit),
    interns_grant: flag(flags.interns_grant),
  }
}

/** Converts an expiry time to milliseconds. Undefined and null are returned unchanged. */
function readExpiry(deps: { now: Now }, text: string | null | undefined): number | null | undefined {
  if (text === undefined || text === null) return text
  const at = Date.parse(text)
  if (at > deps.now()) return at
  throw new Fault('invalid', 'Invalid request: expires_at: expected an instant in the future')
}

function isUnchanged(key: KeyRecord, patch: KeyPatch, expiresAt: number | null | undefined): boolean {
  const { expires_at, ...otherFields } = patch
  const isSameExpiry = expiresAt === undefined || expiresAt === (key.expires_at && Date.parse(key.expires_at))
  const names = Object.keys(otherFields) as (keyof typeof otherFields)[]
  return isSameExpiry && names.every((name) => otherFields[name] === undefined || otherFields[name] === key[name])
}
