import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { newTestStore } from '../../harness/database/databases.ts'
import { startProcess } from '../../harness/service/server-process.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

for (const workers of [1, 2]) {
  test(`a server ends when a newer version makes its schema unusable (${workers} workers)`, { skip }, async () => {
    const testStore = await newTestStore('postgres')
    await using stack = new AsyncDisposableStack()
    stack.defer(testStore.remove)
    const { data_dir, database_url } = testStore.settings
    const server = stack.use(
      startProcess({ DATA_DIR: data_dir, DATABASE_URL: database_url, WORKERS: String(workers), DRAIN_MS: '0' }),
    )
    await server.url
    const newer = await openDb(testStore.settings)
    stack.defer(newer.close)
    await newer.query.updateTable('schema_range').set({ oldest: 9001, newest: 9001 }).execute()
    assert.equal(await server.ended, 1)
    assert.match(server.err(), /the database schema is no longer supported: draining, then stopping/)
    assert.match(server.err(), /it needs schema version 9001 or later/)
  })
}
