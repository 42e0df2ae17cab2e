import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { bootstrap } from './bootstrap.ts'
import { isSecret } from './keys/secret.ts'

const deps = { now: Date.now, newId: () => crypto.randomUUID() }

onEachDatabase('bootstrap', (kind) => {
  test('an empty database gets one owner, one workspace and two keys without secrets', async () => {
    await using store = await newDb(kind)
    const keys = await bootstrap({ ...deps, db: store.db })
    assert.ok(keys && isSecret(keys.managementKey) && isSecret(keys.apiKey))
    const rows = await store.db.query.selectFrom('api_keys').selectAll().execute()
    assert.deepEqual(rows.map((row) => row.kind).sort(), ['api', 'management'])
    assert.ok(!JSON.stringify(rows).includes(keys.managementKey.slice(12, 60)))
  })

  test('of four at once one does it', async () => {
    await using store = await newDb(kind)
    const all = await Promise.all([1, 2, 3, 4].map(() => bootstrap({ ...deps, db: store.db })))
    assert.equal(all.filter(Boolean).length, 1)
    assert.equal((await store.db.query.selectFrom('organizations').selectAll().execute()).length, 1)
  })

  test('a database in use is left alone', async () => {
    await using store = await newDb(kind)
    await bootstrap({ ...deps, db: store.db })
    assert.equal(await bootstrap({ ...deps, db: store.db }), undefined)
  })
})
