import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { newUuid } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { createIntern } from '../lifecycle/create-intern.ts'
import { readSessionSpending } from './run-spending.ts'

async function newIntern(db: Db): Promise<string> {
  const deps = { db, now: Date.now, newId: newUuid, vault: createVault(Buffer.alloc(32)) }
  await bootstrap(deps)
  const workspace = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  const { organization_id: organizationId, id: workspaceId, created_by: userId } = workspace
  const caller = { organizationId, workspaceId, userId, keyHash: 'k' } as never
  return (await createIntern(deps, caller, { name: 'ada', provision: true })).intern.id
}

onEachDatabase('the spending of a session', (kind) => {
  test('counts settled runs, and each unsettled run or announced turn once', async () => {
    await using store = await newDb(kind)
    const { query } = store.db
    const id = await newIntern(store.db)
    const run = { intern_id: id, session_id: 's', background: 0, began_at: 10 }
    const settled = { ...run, status: 'ended', outcome: 'finished', ended_at: 20, metered_key: 'key' }
    const announced = { intern_id: id, session_id: 's', key_hash: 'key', budget: '{}', began_at: 30, expires_at: 99 }
    await query
      .insertInto('intern_runs')
      .values([
        { ...settled, id: 'a', spent_usd: 0.5 },
        { ...settled, id: 'b', spent_usd: 0.25 },
        { ...run, id: 'c', status: 'running', metered_key: 'key', budget: '{"id":"stored"}' },
        { ...run, id: 'd', status: 'running', metered_key: null },
        { ...settled, id: 'e', session_id: 'other', spent_usd: 9 },
      ])
      .execute()
    await query
      .insertInto('announced_turns')
      .values([
        { ...announced, id: 'stored' },
        { ...announced, id: 'new' },
      ])
      .execute()
    const { spentUsd, unsettled, isOpen } = await readSessionSpending(query, id, 's')
    const unstored = { meteredKey: 'key', endedAt: null, reportedUsd: 0 }
    assert.deepEqual([spentUsd, isOpen], [0.75, true])
    assert.deepEqual(unsettled, [
      { ...unstored, startedAt: 10 },
      { ...unstored, startedAt: 30 },
    ])
    assert.deepEqual(await readSessionSpending(query, id, 'empty'), { spentUsd: 0, unsettled: [], isOpen: false })
  })

  test('is read by one statement, because a turn can become a run between two', async () => {
    await using store = await newDb(kind)
    let statements = 0
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        statements++
        return result
      },
    }
    await readSessionSpending(store.db.query.withPlugin(counting), 'i', 's')
    assert.equal(statements, 1)
  })
})
