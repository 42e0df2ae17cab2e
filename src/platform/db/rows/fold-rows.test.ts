import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { fold } from '#test/harness/records/sum-fold.ts'
import { sql } from '../kysely.ts'
import { foldRows } from './fold-rows.ts'

/** Numbers from 1 on. */
const upTo = (last: number) =>
  sql`with recursive numbers as (select 1 as n union all select n + 1 from numbers where n < ${last}) select n from numbers`

onEachDatabase('rows that are folded', (kind) => {
  test('come to one result, of all rows or of as many as are wanted', async () => {
    await using store = await newDb(kind)
    const all = await foldRows(store, fold, { most: Number.POSITIVE_INFINITY }, upTo(5000))
    assert.deepEqual(all, { sum: 12_502_500, rows: 5000 })
    assert.deepEqual(await foldRows(store, fold, { most: 10 }, upTo(5000)), { sum: 10, rows: 4 })
    assert.deepEqual(await foldRows(store, fold, { most: 10 }, sql`select 1 as n where 1 = 0`), { sum: 0, rows: 0 })
  })

  test('fail as their statement and their folding do, and the next ones do not', async () => {
    await using store = await newDb(kind)
    await assert.rejects(foldRows(store, fold, { most: 1 }, sql`select n from missing`), /missing/)
    await assert.rejects(foldRows(store, fold, { most: 1 }, sql`select cast(null as bigint) as n`), /nothing to add/)
    assert.deepEqual(await foldRows(store, fold, { most: 9 }, upTo(2)), { sum: 3, rows: 2 })
  })

  test('are not read further after the caller has left', async () => {
    await using store = await newDb(kind)
    const leave = new AbortController()
    const endless = kind === 'sqlite' ? sql`${upTo(1e12)}` : upTo(20_000)
    const ask = () => foldRows(store, fold, { most: Number.POSITIVE_INFINITY }, endless, leave.signal)
    const requests = [ask(), ask()].map((one) => assert.rejects(one, { kind: 'client_closed_request' }))
    setImmediate(() => leave.abort())
    await Promise.all(requests)
    await assert.rejects(ask(), { kind: 'client_closed_request' })
    assert.deepEqual(await foldRows(store, fold, { most: 9 }, upTo(2)), { sum: 3, rows: 2 })
  })
})

test('while rows are folded, other reports are answered with current values', async () => {
  await using store = await newDb('sqlite')
  const { db } = store
  const leave = new AbortController()
  const folding = foldRows(store, fold, { most: Number.POSITIVE_INFINITY }, upTo(1e12), leave.signal)
  const ended = assert.rejects(folding, { kind: 'client_closed_request' })
  const seen = () => db.reportQuery.selectFrom('users').select('id').where('id', '=', 'late').execute()
  assert.deepEqual(await seen(), [])
  await db.query.insertInto('users').values({ id: 'late', name: 'n', email: 'e', created_at: 1 }).execute()
  assert.deepEqual(await seen(), [{ id: 'late' }])
  leave.abort()
  await ended
})

test('a database closes during a fold, and its callers get an error', async () => {
  await using store = await newDb('sqlite')
  const folding = foldRows(store, fold, { most: Number.POSITIVE_INFINITY }, upTo(1e12))
  const ended = assert.rejects(folding)
  await store.db.reportQuery.selectFrom('users').select('id').execute()
  await store.db.close()
  await ended
})
