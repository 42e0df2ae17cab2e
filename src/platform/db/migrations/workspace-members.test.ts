import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { newUuid } from '#platform/core/id.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { up } from './0093_workspace_members.ts'

onEachDatabase('the migration to members of workspaces', (kind) => {
  test('adds every current member to every workspace, with the role that they have', async () => {
    await using store = await newDb(kind)
    const { query } = store.db
    await bootstrap({ db: store.db, now: Date.now, newId: newUuid })
    const workspace = await query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
    const other = { ...workspace, id: newUuid(), slug: 'other', default_guardrail_id: newUuid() }
    await query.insertInto('workspaces').values(other).execute()
    for (const role of ['admin', 'developer', 'viewer', 'member', 'left']) {
      await query.insertInto('users').values({ id: role, name: role, email: role, created_at: 1 }).execute()
      const member = { organization_id: workspace.organization_id, user_id: role, name: role, role, joined_at: 1 }
      await query
        .insertInto('memberships')
        .values({ ...member, left_at: role === 'left' ? 2 : null })
        .execute()
    }
    await query.schema.dropTable('workspace_members').execute()
    await up(query as never)
    const rows = await query.selectFrom('workspace_members').selectAll().execute()
    for (const { id } of [workspace, other]) {
      const roles = rows.filter((row) => row.workspace_id === id && row.user_id.length < 20)
      assert.deepEqual(Object.fromEntries(roles.map(({ user_id, role }) => [user_id, role])), {
        admin: 'admin',
        developer: 'developer',
        viewer: 'viewer',
        member: 'developer',
      })
    }
    assert.equal(rows.length, 10)
  })
})
