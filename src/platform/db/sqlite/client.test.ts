import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createReader, openSqlite } from './client.ts'

/** An empty embedded database, the requests it receives, and its first responses. */
async function database() {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-sqlite-'))
  const path = join(folder, 'a.db')
  const client = await openSqlite(path)
  return {
    client,
    path,
    ask: async (sql: string, ...values: unknown[]) => (await client.run(sql, values)).rows,
    async [Symbol.asyncDispose]() {
      await client.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

test('writes use a write-ahead log, reach the disk, and check references', async () => {
  await using place = await database()
  assert.deepEqual(await place.ask('pragma journal_mode'), [{ journal_mode: 'wal' }])
  assert.deepEqual(await place.ask('pragma synchronous'), [{ synchronous: 2 }])
  assert.deepEqual(await place.ask('pragma foreign_keys'), [{ foreign_keys: 1 }])
  assert.deepEqual(await place.ask('pragma busy_timeout'), [{ timeout: 2000 }])
  assert.deepEqual(await place.ask('pragma wal_autocheckpoint'), [{ wal_autocheckpoint: 4000 }])
})

test('a statement returns rows or changes; a failure has message and code', async () => {
  await using place = await database()
  await place.ask('create table t (a, b)')
  assert.equal((await place.client.run('insert into t values (?, ?), (1, 2)', [true, undefined])).changes, 2)
  assert.deepEqual(await place.ask('select a, b from t order by b'), [
    { a: 1, b: null },
    { a: 1, b: 2 },
  ])
  assert.equal((await place.client.run('select a from t', [])).changes, 0)
  await assert.rejects(place.ask('select * from missing'), { message: /no such table/, code: 'ERR_SQLITE_ERROR' })
})

test('rows come with each value under its name, however many there are', async () => {
  await using place = await database()
  const { rows } = await place.client.run("select 1 as a, null as b, 'x' as c union all select 2, 2.5, x'00'", [])
  assert.deepEqual(rows, [
    { a: 1, b: null, c: 'x' },
    { a: 2, b: 2.5, c: new Uint8Array(1) },
  ])
  assert.deepEqual((await place.client.run('select 1 as a where 1 = 0', [])).rows, [])
  await place.client.close()
})

test('a reader cannot write, and a closed database reports it', async () => {
  await using place = await database()
  await place.ask('create table t (a)')
  const reader = createReader(place.path)
  assert.deepEqual((await reader.run('select * from t', [])).rows, [])
  await assert.rejects(reader.run('insert into t values (1)', []), { message: /readonly/ })
  assert.deepEqual((await reader.run('pragma cache_size', [])).rows, [{ cache_size: -24_000 }])
  await reader.close()
  await assert.rejects(reader.run('select 1', []), { message: /is closed/ })
  await place.client.close()
  await assert.rejects(place.ask('select 1'), { message: /is closed/ })
})
