import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#platform/db/kysely.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { bootstrap } from './bootstrap.ts'
import type { Caller } from './caller.ts'
import { createKeyReader } from './keys/read-keys.ts'
import { hashOf } from './keys/secret.ts'
import { changeWorkspace, createWorkspace, deleteWorkspace, listWorkspaces } from './workspaces.ts'

onEachDatabase('workspaces in the store', (kind) => {
  test('a workspace that something still belongs to stays whole, and is refused in words', async () => {
    await using store = await newDb(kind)
    const deps = { db: store.db, now: Date.now, newId: () => crypto.randomUUID() }
    const hash = hashOf((await bootstrap(deps))!.managementKey)
    const caller = (await createKeyReader(deps)([hash])).get(hash)?.caller as Caller
    const { id } = await createWorkspace(deps, caller, { name: 'Used', slug: 'used' })
    await sql`create table lodgers (workspace_id text references workspaces (id))`.execute(store.db.query)
    await sql`insert into lodgers values (${id})`.execute(store.db.query)
    await assert.rejects(deleteWorkspace(deps, caller, 'used'), { kind: 'conflict' })
    const page = { offset: 0, limit: 50 }
    assert.equal((await listWorkspaces(deps, caller, page)).total_count, 2)
  })

  test('a change has its time, and a change without effect is none', async () => {
    await using store = await newDb(kind)
    const clock = { now: Date.UTC(2026, 0, 1) }
    const deps = { db: store.db, now: () => clock.now, newId: () => crypto.randomUUID() }
    const hash = hashOf((await bootstrap(deps))!.managementKey)
    const caller = (await createKeyReader(deps)([hash])).get(hash)?.caller as Caller
    await createWorkspace(deps, caller, { name: 'A', slug: 'a' })
    clock.now += 1000
    const changed = await changeWorkspace(deps, caller, 'a', { name: 'B' })
    assert.deepEqual(
      [changed.name, changed.slug, changed.created_at, changed.updated_at],
      ['B', 'a', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z'],
    )
    clock.now += 1000
    assert.deepEqual(await changeWorkspace(deps, caller, 'a', { name: 'B', slug: 'a' }), changed)
  })
})
