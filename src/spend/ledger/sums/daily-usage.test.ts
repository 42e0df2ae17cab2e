import assert from 'node:assert/strict'
import { test } from 'node:test'
import { up } from '#platform/db/migrations/0014_workspace_days.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { at, caller, generation } from '#test/harness/records/generations.ts'
import { writeGenerations } from '../../metering/write.ts'
import { listActivity } from '../spending/activity.ts'
import { readSpendingOf } from '../spending/spending.ts'

const byHand = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    generation({
      caller: { ...caller, keyHash: `key${i % 50}`, userId: `user${i % 7}`, workspaceId: `w${i % 2}` },
      byok: i % 3 === 0,
      createdAt: at + (i % 4) * 86_400_000,
      cost: BigInt(i) * 1_000_000_007n,
      margin: BigInt(i % 5),
    }),
  )

onEachDatabase('the sums of days', (kind) => {
  const filter = {
    organizationId: 'organization',
    fromDay: 0,
    toDay: 99_999,
    by: new Set(['model', 'workspace'] as const),
  }
  const workspaceRows = (db: Awaited<ReturnType<typeof newDb>>['db']) =>
    db.query
      .selectFrom('workspace_days')
      .selectAll()
      .orderBy('day')
      .orderBy('workspace_id')
      .orderBy('model')
      .orderBy('byok')
      .execute()

  test('by workspace are those of its keys added up, and few however many keys there are', async () => {
    await using store = await newDb(kind)
    for (let round = 0; round < 3; round++) await writeGenerations(store, byHand(200))
    const rows = await workspaceRows(store.db)
    assert.ok(rows.length <= 4 * 2 * 2, `${rows.length} rows`)
    const cost = (of: { costUsd: number; byokUsd: number }[]) => of.reduce((sum, { costUsd }) => sum + costUsd, 0)
    const byKey = (
      await Promise.all(
        Array.from({ length: 50 }, (_, key) => listActivity(store, { ...filter, keyHash: `key${key}` })),
      )
    ).flat()
    const all = await listActivity(store, filter)
    assert.equal(
      all.reduce((sum, { requests }) => sum + requests, 0),
      600,
    )
    assert.ok(Math.abs(cost(all) - cost(byKey)) < 1e-9)
    const both = await Promise.all(['w0', 'w1'].map((workspaceId) => readSpendingOf(store, { workspaceId }, 0)))
    const members = { workspaceId: 'w0', only: { userIds: Array.from({ length: 7 }, (_, i) => `user${i}`) } }
    assert.deepEqual(both[0], await readSpendingOf(store, members, 0))
  })

  test('of an older database are computed from those of its keys', async () => {
    await using store = await newDb(kind)
    await writeGenerations(store, byHand(400))
    const written = await workspaceRows(store.db)
    await store.db.query.schema.dropTable('workspace_days').execute()
    for (const name of ['usage_days_by_workspace', 'usage_days_by_user'])
      await store.db.query.schema.dropIndex(name).execute()
    await up(store.db.query as never)
    assert.deepEqual(await workspaceRows(store.db), written)
  })
})
