import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { newDb, newTestStore } from '#test/harness/database/databases.ts'
import { remoteOf } from '#test/harness/database/remote-db.ts'
import { generation } from '#test/harness/records/generations.ts'
import { writeGenerations } from './write.ts'

const many = (from: number) => Array.from({ length: 300 }, (_, at) => generation({ id: `gen-${from + at}` }))

test('a batch is one statement in the embedded database', async () => {
  const testStore = await newTestStore('sqlite')
  const statements: (string | undefined)[] = []
  const db = await openDb(testStore.settings, { onQuery: (_seconds, _outcome, _error, sql) => statements.push(sql) })
  statements.splice(0)
  await writeGenerations({ db }, many(0))
  assert.deepEqual(statements, ['insert into generations, rollup_parts, usage_days, workspace_days, events'])
  await db.close()
  await testStore.remove()
})

test('a batch with an invalid row writes nothing, also in another process', async () => {
  await using store = await newDb('sqlite')
  const written = () => store.db.query.selectFrom('generations').select('id').execute()
  for (const db of [store.db, remoteOf(store.db).db]) {
    await assert.rejects(writeGenerations({ db }, [...many(0), ...many(0)]), /UNIQUE constraint failed/)
    assert.deepEqual(await written(), [])
  }
  await writeGenerations({ db: store.db }, many(0))
  await writeGenerations({ db: remoteOf(store.db).db }, many(300))
  assert.equal((await written()).length, 600)
})
