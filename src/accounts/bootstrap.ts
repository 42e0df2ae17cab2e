import type { Db, Tx } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import type { NewId } from '#lib/id.ts'
import type { KeyKind } from './caller.ts'
import { hashOf, labelOf, newSecret } from './secret.ts'

export type FirstKeys = { managementKey: string; apiKey: string }

/**
 * Fills an empty database with one organization, owner and workspace and two keys, whose secrets it returns: there is
 * no other time to see them. Undefined when the database is in use already.
 */
export async function bootstrap(
  deps: { db: Db; now: Now; newId: NewId },
  chosen: Partial<FirstKeys> = {},
): Promise<FirstKeys | undefined> {
  return deps.db.exclusively('bootstrap', async (tx) => {
    const used = await tx.selectFrom('organizations').select('id').limit(1).executeTakeFirst()
    if (used) return undefined
    const keys: FirstKeys = {
      managementKey: chosen.managementKey ?? newSecret(),
      apiKey: chosen.apiKey ?? newSecret(),
    }
    const owner = await insertFirstWorkspace(deps, tx)
    await insertFirstKey(deps, tx, owner, 'management', 'First management key', keys.managementKey)
    await insertFirstKey(deps, tx, owner, 'api', 'First API key', keys.apiKey)
    return keys
  })
}

type Owner = { organizationId: string; userId: string; workspaceId: string }

async function insertFirstWorkspace(deps: { now: Now; newId: NewId }, tx: Tx): Promise<Owner> {
  const at = deps.now()
  const [organizationId, userId, workspaceId] = [deps.newId(), deps.newId(), deps.newId()]
  await tx.insertInto('organizations').values({ id: organizationId, name: 'My organization', created_at: at }).execute()
  await tx.insertInto('users').values({ id: userId, name: 'Owner', email: 'owner@localhost', created_at: at }).execute()
  await tx
    .insertInto('memberships')
    .values({ organization_id: organizationId, user_id: userId, role: 'admin', joined_at: at, left_at: null })
    .execute()
  await tx
    .insertInto('workspaces')
    .values({
      id: workspaceId,
      organization_id: organizationId,
      name: 'Default',
      slug: 'default',
      default_guardrail_id: deps.newId(),
      created_by: userId,
      created_at: at,
      updated_at: at,
    })
    .execute()
  return { organizationId, userId, workspaceId }
}

async function insertFirstKey(deps: { now: Now }, tx: Tx, owner: Owner, kind: KeyKind, name: string, secret: string) {
  const at = deps.now()
  await tx
    .insertInto('api_keys')
    .values({
      hash: hashOf(secret),
      kind,
      name,
      label: labelOf(secret),
      organization_id: owner.organizationId,
      workspace_id: owner.workspaceId,
      creator_user_id: owner.userId,
      disabled: 0,
      limit_usd: null,
      limit_reset: null,
      include_byok_in_limit: 0,
      expires_at: null,
      created_at: at,
      updated_at: at,
    })
    .execute()
}
