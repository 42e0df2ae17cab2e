import { hashOf, keyLabel, newSecret } from '#identity/accounts/keys/secret.ts'
import { newUuid } from '#platform/core/id.ts'
import { openDb } from '#platform/db/open.ts'
import type { TestStore } from './databases.ts'

type Organization = { organizationId: string; workspaceId: string; managementKey: string; apiKey: string }

/** Adds another organization with a workspace and two keys directly to the store of a running service. */
export async function addOrganization(testStore: TestStore): Promise<Organization> {
  const db = await openDb(testStore.settings)
  const [organizationId, userId, workspaceId] = [newUuid(), newUuid(), newUuid()]
  const at = Date.now()
  const owned = { organization_id: organizationId, created_at: at, updated_at: at }
  const keys = { managementKey: newSecret(), apiKey: newSecret() }
  try {
    await db.query.insertInto('organizations').values({ id: organizationId, name: 'Other', created_at: at }).execute()
    await db.query
      .insertInto('users')
      .values({ id: userId, name: 'Other', email: `${userId}@example.org`, created_at: at })
      .execute()
    await db.query
      .insertInto('memberships')
      .values({
        organization_id: organizationId,
        user_id: userId,
        name: 'Other',
        role: 'admin',
        joined_at: at,
        left_at: null,
      })
      .execute()
    await db.query
      .insertInto('workspaces')
      .values({
        ...owned,
        id: workspaceId,
        name: 'Other',
        slug: 'other',
        default_guardrail_id: newUuid(),
        created_by: userId,
      })
      .execute()
    for (const [kind, secret] of [
      ['management', keys.managementKey],
      ['api', keys.apiKey],
    ] as const) {
      await db.query
        .insertInto('api_keys')
        .values({
          ...owned,
          hash: hashOf(secret),
          label: keyLabel(secret),
          kind,
          name: kind,
          workspace_id: workspaceId,
          creator_user_id: userId,
          disabled: 0,
          limit_usd: null,
          limit_reset: null,
          include_byok_in_limit: 0,
          expires_at: null,
        })
        .execute()
    }
    return { organizationId, workspaceId, ...keys }
  } finally {
    await db.close()
  }
}
