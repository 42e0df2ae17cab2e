import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { recordChange } from '../audit/audit.ts'
import { insertKey, type KeyOwner, type KeyValues } from './keys/insert-key.ts'
import { newSecret } from './keys/secret.ts'
import { insertWorkspace } from './workspaces.ts'

/** The secrets of the first keys. */
export type FirstKeys = { managementKey: string; apiKey: string }

type BootstrapDeps = { now: Now; newId: NewId }

/**
 * Fills an empty database with one organization, owner and workspace and two keys. If several servers start at once on one
 * database, only one of them fills it.
 * @param configuredKeys the secrets that the operator configured. The others are generated.
 * @returns the secrets of the keys, which are not stored; undefined if the database is in use.
 */
export async function bootstrap(
  deps: BootstrapDeps & { db: Db },
  configuredKeys: Partial<FirstKeys> = {},
): Promise<FirstKeys | undefined> {
  return deps.db.exclusively('bootstrap', async (tx) => {
    const existing = await tx.selectFrom('organizations').select('id').limit(1).executeTakeFirst()
    if (existing) return undefined
    const keys: FirstKeys = {
      managementKey: configuredKeys.managementKey ?? newSecret(),
      apiKey: configuredKeys.apiKey ?? newSecret(),
    }
    const owner = await insertFirstOwner(deps, tx)
    await insertFirstKey(deps, tx, owner, {
      kind: 'management',
      name: 'First management key',
      secret: keys.managementKey,
    })
    await insertFirstKey(deps, tx, owner, { kind: 'api', name: 'First API key', secret: keys.apiKey })
    return keys
  })
}

async function insertFirstOwner(deps: BootstrapDeps, tx: Tx): Promise<KeyOwner> {
  const at = deps.now()
  const organizationId = deps.newId()
  const userId = deps.newId()
  await tx.insertInto('organizations').values({ id: organizationId, name: 'My organization', created_at: at }).execute()
  const name = 'Owner'
  await tx.insertInto('users').values({ id: userId, name, email: 'owner@localhost', created_at: at }).execute()
  await tx
    .insertInto('memberships')
    .values({ organization_id: organizationId, user_id: userId, name, role: 'owner', joined_at: at, left_at: null })
    .execute()
  const workspace = await insertWorkspace(deps, tx, { organizationId, userId }, { name: 'Default', slug: 'default' })
  return { organizationId, userId, workspaceId: workspace.id }
}

async function insertFirstKey(deps: BootstrapDeps, tx: Tx, owner: KeyOwner, values: KeyValues): Promise<void> {
  const key = await insertKey(deps, tx, owner, values)
  await recordChange(
    deps,
    tx,
    { ...owner, keyHash: null },
    { action: 'key.created', targetKind: 'key', targetId: key.hash, before: null, after: key },
  )
}
