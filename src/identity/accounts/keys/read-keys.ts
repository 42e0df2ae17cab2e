import type { WorkspaceRole } from '#platform/core/vocabulary.ts'
import type { Db } from '#platform/db/db.ts'
import type { Caller, KeyKind } from '../caller.ts'
import { readStoredShare } from '../io-logging.ts'
import { roleInWorkspace } from '../role.ts'
import type { ReadKeys, StoredKey } from './key-cache.ts'
import { selectKeysWithOwners } from './key-rows.ts'

/** Reads keys for the key cache, with one query for all. */
export function createKeyReader(deps: { db: Pick<Db, 'query'> }): ReadKeys {
  return async (hashes) => {
    const rows = await selectKeysWithOwners(deps.db.query, padToPowerOfTwo(hashes)).execute()
    return new Map(rows.map((row) => [row.hash, toStoredKey(row)]))
  }
}

/** Pads the list to a power of two, so that there are few different statements to prepare. */
function padToPowerOfTwo(hashes: string[]): string[] {
  const size = 2 ** Math.ceil(Math.log2(hashes.length))
  return [...hashes, ...Array<string>(size - hashes.length).fill(hashes[0] ?? '')]
}

type ReadKeysRow = Awaited<ReturnType<ReturnType<typeof selectKeysWithOwners>['execute']>>[number]

function toStoredKey(row: ReadKeysRow): StoredKey {
  return {
    caller: {
      keyHash: row.hash,
      keyKind: row.kind as KeyKind,
      keyName: row.name,
      userId: row.creator_user_id,
      creatorLeft: row.joined_at === null || row.left_at !== null,
      internsProgramme: row.interns_programme === 1,
      internsGrant: row.interns_grant === 1,
      spendLimit: toSpendLimit(row),
      storedShare: readStoredShare(row, row.hash),
      organizationId: row.organization_id,
      workspaceId: row.workspace_id,
      isWorkspaceScoped: row.kind !== 'management',
      role: workspaceRole(row),
      organizationRole: (row.role ?? undefined) as Caller['role'],
      access: undefined,
      sessionId: undefined,
    },
    disabled: row.disabled === 1,
    expiresAt: row.expires_at,
  }
}

/** A key of a former member keeps the role that the member had in the organization. */
function workspaceRole({ role, workspace_role, left_at }: ReadKeysRow): Caller['role'] {
  const organizationRole = (role ?? undefined) as Caller['role']
  if (left_at !== null) return organizationRole
  return roleInWorkspace(organizationRole, (workspace_role ?? undefined) as WorkspaceRole | undefined)
}

function toSpendLimit({ limit_usd: usd, limit_reset, include_byok_in_limit }: ReadKeysRow): Caller['spendLimit'] {
  if (usd === null) return null
  return {
    usd,
    reset: limit_reset as NonNullable<Caller['spendLimit']>['reset'],
    includesByok: include_byok_in_limit === 1,
  }
}
