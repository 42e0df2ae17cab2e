import type { Now } from '#platform/core/clock.ts'
import type { Tx } from '#platform/db/db.ts'
import type { KeyKind } from '../caller.ts'
import { type KeyRecord, toKeyRecord } from './key.ts'
import { insertKeyRow } from './key-rows.ts'
import { hashOf, keyLabel } from './secret.ts'

/** The owner of a key. */
export type KeyOwner = { organizationId: string; userId: string; workspaceId: string }

export type KeyValues = {
  secret: string
  kind: KeyKind
  name: string
  limitUsd?: number | null
  limitReset?: KeyRecord['limit_reset']
  includeByokInLimit?: boolean
  /** In milliseconds since the epoch. */
  expiresAt?: number | null
  externalUser?: string | null
}

/** Stores a key. Only the hash of its secret is stored. */
export async function insertKey(deps: { now: Now }, tx: Tx, owner: KeyOwner, values: KeyValues): Promise<KeyRecord> {
  const at = deps.now()
  const row = {
    hash: hashOf(values.secret),
    kind: values.kind,
    name: values.name,
    label: keyLabel(values.secret),
    organization_id: owner.organizationId,
    workspace_id: owner.workspaceId,
    creator_user_id: owner.userId,
    disabled: 0,
    limit_usd: values.limitUsd ?? null,
    limit_reset: values.limitReset ?? null,
    include_byok_in_limit: Number(values.includeByokInLimit ?? false),
    expires_at: values.expiresAt ?? null,
    external_user: values.externalUser ?? null,
    interns_grant: 0,
    created_at: at,
    updated_at: at,
  }
  await insertKeyRow(tx, row)
  return toKeyRecord(row)
}
