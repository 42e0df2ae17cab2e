import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { emptyPolicy, type Policy } from '#policy/guardrails/decide/policy.ts'
import { insertGuardrail } from '#policy/guardrails/guardrail-rows.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { newUuid } from '../../core/id.ts'
import { up } from './0092_pooled_budgets.ts'

onEachDatabase('the migration to pooled budgets', (kind) => {
  /** Migrates a workspace whose default guardrail has this policy. */
  async function migrated(policy: Partial<Policy>) {
    await using store = await newDb(kind)
    const { db } = store
    await bootstrap({ db, now: Date.now, newId: newUuid })
    const workspace = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
    const common = { workspaceId: workspace.id, description: null, createdAt: 5, updatedAt: 6 }
    const id = workspace.default_guardrail_id
    await db.exclusively('guardrails', async (tx) => {
      await insertGuardrail(tx, { ...common, id, name: 'All', policy: { ...emptyPolicy, ...policy } })
      const assigned = { ...common, id: newUuid(), name: 'Some', policy: { ...emptyPolicy, limit_usd: 3 } }
      await insertGuardrail(tx, assigned)
    })
    await db.query.schema.dropTable('pooled_budgets').execute()
    await up(db.query as never)
    return { id, workspace, rows: await db.query.selectFrom('pooled_budgets').selectAll().execute() }
  }

  test('copies the limit of a default guardrail into a budget with the same account', async () => {
    const limits = { limit_usd: 12.5, reset_interval: 'monthly', include_byok_in_budgets: true } as const
    const { id, workspace, rows } = await migrated(limits)
    const owner = { organization_id: workspace.organization_id, workspace_id: workspace.id, owner_id: workspace.id }
    assert.deepEqual(rows, [
      {
        ...{ id, ...owner, owner_kind: 'workspace', reset_interval: 'monthly', limit_usd: 12.5, include_byok: 1 },
        ...{ account: `guardrail:${id}`, created_at: 5, updated_at: 5 },
      },
    ])
  })

  test('copies a limit that never resets into a lifetime budget', async () => {
    const { rows } = await migrated({ limit_usd: 2 })
    assert.deepEqual(
      rows.map(({ reset_interval, include_byok }) => [reset_interval, include_byok]),
      [['lifetime', 0]],
    )
  })

  test('creates no budget without a limit', async () => {
    assert.deepEqual((await migrated({ allowed_models: ['a/b'] })).rows, [])
  })
})
