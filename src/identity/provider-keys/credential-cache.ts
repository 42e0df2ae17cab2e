import type { Db } from '#platform/db/db.ts'
import { createReadCache } from '#platform/db/rows/read-cache.ts'
import type { AllowStale } from '#platform/db/rows/stale-reads.ts'
import { type Rules, toCredential } from './credential.ts'
import type { Vault } from './vault.ts'

/** A workspace's own provider key. A disabled one is not used, but its rules can still exclude the operator's key. */
export type OwnCredential = Pick<
  Rules,
  | 'disabled'
  | 'allowed_api_key_hashes'
  | 'allowed_models'
  | 'allowed_user_ids'
  | 'is_fallback'
  | 'is_required'
  | 'is_byok_only'
> & { provider: string; secret: string }

/** Caches workspaces' own provider keys, in the order of preference. */
export type CredentialCache = {
  of: (workspaceId: string) => Promise<readonly OwnCredential[]>
  /** Like `of`, but only from memory: undefined if the keys are not cached. */
  getCached: (workspaceId: string) => readonly OwnCredential[] | undefined
  close: () => void
}

type CredentialCacheDeps = { db: Pick<Db, 'query' | 'signals'>; vault: Vault; allowStale?: AllowStale }

export function createCredentialCache({ db, vault, allowStale }: CredentialCacheDeps): CredentialCache {
  const workspaces = createReadCache({
    signals: db.signals,
    allowStale,
    topic: 'credential.changed',
    read: (workspaceId) => readWorkspace(db, vault, workspaceId),
  })
  return { of: workspaces.get, getCached: workspaces.getCached, close: workspaces.close }
}

async function readWorkspace(db: Pick<Db, 'query'>, vault: Vault, workspaceId: string): Promise<OwnCredential[]> {
  const rows = await db.query
    .selectFrom('provider_credentials')
    .where('workspace_id', '=', workspaceId)
    .orderBy('sort_order')
    .orderBy('id')
    .selectAll()
    .execute()
  return rows.map((row) => ({ ...toCredential(row), secret: vault.open(row.sealed, row.id) }))
}
