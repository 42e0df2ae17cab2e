import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDb } from '#test/harness/database/databases.ts'
import { sql } from '../kysely.ts'
import { findDatabaseFailure, toDatabaseFault } from './failures.ts'

for (const [failure, codes, expected] of [
  ['unreachable', ['08006', '57P01', '53300', 'ECONNRESET', 'EAI_AGAIN'], /is unreachable/],
  ['too_slow', ['57014', '55P03', '25P03', '40P01', '40001'], /took too long\. Try again shortly/],
  ['read_only', ['25006'], /is read-only/],
  ['disk_full', ['53100'], /its disk is full/],
  ['disk_failed', ['58030'], /cannot read or write its disk/],
] as const)
  test(`a database that is ${failure} is distinguished from a faulty query`, () => {
    for (const code of codes) {
      const fault = toDatabaseFault({ code })
      assert.deepEqual([findDatabaseFailure({ code }), fault?.kind], [failure, 'unavailable'])
      assert.match(fault!.message, expected)
    }
  })

test('an invalid query does not count as a failure of the database', () => {
  for (const error of [{ code: '23505' }, { code: '42601' }, new Error('no such column'), undefined, { code: 7 }])
    assert.equal(toDatabaseFault(error), undefined)
  assert.equal(findDatabaseFailure(new Error('Connection terminated unexpectedly')), 'unreachable')
})

test('a full disk under the embedded database is reported, and rolls back', async () => {
  await using store = await newDb('sqlite')
  const { db } = store
  const pages = (count: number) => sql`pragma max_page_count = ${sql.lit(count)}`.execute(db.query)
  const row = (name: string, length: number) => ({
    name,
    certificate: 'x'.repeat(length),
    key_sealed: '',
    sealed_by: '',
  })
  const insert = (lengths: number[]) =>
    db.exclusively('test', async (tx) => {
      for (const [at, length] of lengths.entries()) {
        const values = { ...row(`${at}`, length), created_at: 1, expires_at: 1 }
        await tx.insertInto('intern_authorities').values(values).execute()
      }
    })
  await pages(1)
  const failed = await insert([10, 4_000_000]).catch((error: unknown) => error)
  assert.equal(findDatabaseFailure(failed), 'disk_full', String(failed))
  assert.deepEqual(await db.query.selectFrom('intern_authorities').selectAll().execute(), [])
  await pages(1_000_000)
  await insert([10, 4_000_000])
  assert.equal((await db.query.selectFrom('intern_authorities').selectAll().execute()).length, 2)
})
