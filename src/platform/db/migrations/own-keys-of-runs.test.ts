import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { createIntern } from '#interns/lifecycle/create.ts'
import { findTurnsOfKey } from '#interns/runs/limited-turns.ts'
import { newUuid } from '#platform/core/id.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { up } from './0101_own_keys_of_runs.ts'

onEachDatabase('the migration to own keys of runs', (kind) => {
  test('stores the key for runs in flight, so that they continue to spend, and for no other', async () => {
    await using store = await newDb(kind)
    const { query } = store.db
    const deps = { db: store.db, now: Date.now, newId: newUuid, vault: createVault(Buffer.alloc(32)) }
    await bootstrap(deps)
    const at = await query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
    const owner = { organizationId: at.organization_id, workspaceId: at.id, userId: at.created_by, keyHash: 'k' }
    const { id } = (await createIntern(deps, owner as never, { name: 'ada', provision: true })).intern
    await query.updateTable('interns').set({ key_hash: 'own' }).where('id', '=', id).execute()
    for (const status of ['ended', 'running', 'waiting']) {
      const run = { intern_id: id, id: status, session_id: 's', status, background: 0, began_at: 1 }
      await query.insertInto('intern_runs').values(run).execute()
    }
    await query.schema.alterTable('intern_runs').dropColumn('own_key').execute()
    await up(query as never)
    const rows = await query.selectFrom('intern_runs').select(['id', 'own_key']).orderBy('id').execute()
    assert.deepEqual(
      rows.map((row) => [row.id, row.own_key]),
      [
        ['ended', null],
        ['running', 'own'],
        ['waiting', 'own'],
      ],
    )
    assert.equal((await findTurnsOfKey(deps, 'own')).hasRunningTurn, true)
  })
})
