import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { newUuid } from '#platform/core/id.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { caller as anyCaller, generation } from '#test/harness/records/generations.ts'
import { writeGenerations } from '../../metering/write.ts'
import { accountId } from '../account-id.ts'
import { listPooledBudgets, setPooledBudget } from './pooled-budgets.ts'

const usd = 1_000_000_000_000n

onEachDatabase('pooled budgets', (kind) => {
  test('read their spending again when own provider keys start or end to count', async () => {
    await using store = await newDb(kind)
    const deps = { db: store.db, now: Date.now, newId: newUuid }
    await bootstrap(deps)
    const workspace = await store.db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
    const caller = { ...anyCaller, organizationId: workspace.organization_id, workspaceId: workspace.id }
    const pool = { kind: 'workspace', id: workspace.id } as const
    const spent = { caller, createdAt: deps.now() }
    await writeGenerations(deps, [
      generation({ ...spent, cost: usd }),
      generation({ ...spent, byok: true, cost: 8n * usd }),
    ])
    await setPooledBudget(deps, caller, pool, 'lifetime', { limit_usd: 100 })
    for (const [include_byok_in_budgets, expected] of [
      [true, 9],
      [false, 1],
    ] as const) {
      const row = { budget: accountId.pool(pool, 'lifetime'), period: 0, spent_pico: 5n * usd }
      await store.db.query.insertInto('budget_periods').values(row).execute()
      // The setting applies to all intervals.
      await setPooledBudget(deps, caller, pool, 'monthly', { limit_usd: 50, include_byok_in_budgets })
      const { data } = await listPooledBudgets(deps, pool)
      assert.deepEqual(
        data.map(({ spent_usd }) => spent_usd),
        [expected, expected],
      )
    }
  })
})
