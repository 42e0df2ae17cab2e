import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDb } from '#test/harness/database/databases.ts'
import { remoteOf } from '#test/harness/database/remote-db.ts'
import { fold } from '#test/harness/records/sum-fold.ts'
import { until } from '#test/harness/until.ts'
import { sql } from '../kysely.ts'
import { foldRows } from '../rows/fold-rows.ts'
import { insertRows } from '../rows/insert-rows.ts'
import { openSqlite } from './client.ts'
import { createMutex } from './dialect.ts'
import { openSession } from './session.ts'

const userOf = (id: string) => ({ id, name: 'U', email: `${id}@localhost`, created_at: 1_795_000_000_000 })
const names = async ({ db }: { db: Awaited<ReturnType<typeof newDb>>['db'] }) =>
  (await db.query.selectFrom('users').select('id').orderBy('id').execute()).map(({ id }) => id)

test('all processes read what one writes, with the same rows, counts and errors', async () => {
  await using store = await newDb('sqlite')
  const [one, other] = [remoteOf(store.db), remoteOf(store.db)]
  await one.db.query.insertInto('users').values(userOf('a')).execute()
  assert.deepEqual(await other.db.query.selectFrom('users').selectAll().execute(), [userOf('a')])
  assert.deepEqual(await other.db.reportQuery.selectFrom('users').selectAll().execute(), [userOf('a')])
  const { numDeletedRows } = await other.db.query.deleteFrom('users').where('id', '=', 'a').executeTakeFirstOrThrow()
  assert.equal(numDeletedRows, 1n)
  await one.db.query.transaction().execute(async (tx) => {
    const columns = { id: 'text', name: 'text', email: 'text', created_at: 'bigint' } as const
    await insertRows(one.db, tx, 'users', columns, [['b', 'B', 'b@localhost', 1]])
  })
  assert.deepEqual(await names(store), ['b'])
  const twice = one.db.query
    .insertInto('users')
    .values([userOf('c'), userOf('c')])
    .execute()
  await assert.rejects(twice, { message: /UNIQUE constraint failed/, code: 'ERR_SQLITE_ERROR' })
})

test('rows are folded in the process that owns the file, which returns the result', async () => {
  await using store = await newDb('sqlite')
  const one = remoteOf(store.db)
  const numbers = sql`select value from (select 1 as value union all select ${2} union all select ${true})`
  assert.deepEqual(await foldRows(one, fold, { most: 9 }, numbers), { sum: 4, rows: 3 })
  const leave = new AbortController()
  leave.abort()
  await assert.rejects(foldRows(one, fold, { most: 9 }, numbers, leave.signal), { kind: 'client_closed_request' })
})

test('transactions of several processes follow one another, whole', async () => {
  await using store = await newDb('sqlite')
  const all = [store.db, remoteOf(store.db).db, remoteOf(store.db).db]
  const order: string[] = []
  const work = all.map((db, at) =>
    db.exclusively('x', async (tx) => {
      for (const step of [0, 1, 2]) {
        await tx
          .insertInto('users')
          .values(userOf(`${at}${step}`))
          .execute()
        order.push(String(at))
      }
    }),
  )
  await Promise.all(work)
  assert.match(order.join(''), /^(000|111|222){3}$/)
})

test('notifications of a transaction are delivered before its end, or not on rollback', async () => {
  await using store = await newDb('sqlite')
  const [one, other] = [remoteOf(store.db), remoteOf(store.db)]
  const texts: string[] = []
  for (const [name, { db }] of Object.entries({ owner: store, one, other })) {
    db.signals.subscribe('key.changed', (hash) => texts.push(`${name} ${hash}`))
  }
  await one.db.exclusively('x', async (_tx, publish) => publish('key.changed', 'a'))
  assert.deepEqual(texts.splice(0).sort(), ['one a', 'other a', 'owner a'])
  await store.db.exclusively('x', async (_tx, publish) => publish('key.changed', 'b'))
  assert.deepEqual(texts.splice(0).sort(), ['one b', 'other b', 'owner b'])
  const undone = one.db.exclusively('x', async (_tx, publish) => {
    publish('key.changed', 'c')
    throw new Error('no')
  })
  await assert.rejects(undone, /^Error: no$/)
  await one.db.exclusively('x', async () => {})
  assert.deepEqual(texts, [])
})

test('a process that ends within a transaction leaves nothing, and blocks nobody', async () => {
  await using store = await newDb('sqlite')
  const [dying, other] = [remoteOf(store.db), remoteOf(store.db)]
  const started = Promise.withResolvers<void>()
  const transaction = dying.db.exclusively('x', async (tx) => {
    await tx.insertInto('users').values(userOf('lost')).execute()
    started.resolve()
    await new Promise(() => {})
  })
  await started.promise
  const waiting = other.db.query.insertInto('users').values(userOf('kept')).execute()
  await dying.cut()
  await waiting
  assert.deepEqual(await names(store), ['kept'])
  await assert.rejects(dying.db.reportQuery.selectFrom('users').selectAll().execute(), { code: 'ECONNRESET' })
  assert.equal(dying.db.signals.live(), false)
  void transaction.catch(() => {})
})

test('a process that ends while it waits for its turn does not take it', async () => {
  await using store = await newDb('sqlite')
  const dying = remoteOf(store.db)
  const over = Promise.withResolvers<void>()
  const holding = store.db.exclusively('x', () => over.promise)
  const late = dying.db.query.insertInto('users').values(userOf('late')).execute()
  await until(() => store.db.health().waiting > 0)
  const cut = dying.cut()
  over.resolve()
  await Promise.all([holding, cut, assert.rejects(late)])
  assert.deepEqual(await names(store), [])
})

test('an idle transaction is rolled back with an error', async () => {
  const client = await openSqlite(':memory:')
  const turns = createMutex()
  const session = openSession({ writer: client, reader: client, mutex: turns, publishAll: async () => {}, idleMs: 50 })
  const run = (sql: string) => session.run({ sql, parameters: [] })
  await run('create table t (a)')
  await run('begin immediate')
  await run('insert into t values (1)')
  await until(() => turns.usage().used === 0)
  for (const sql of ['insert into t values (2)', 'commit']) await assert.rejects(run(sql), { code: '25P03' })
  await run('rollback')
  assert.deepEqual((await run('select * from t')).rows, [])
  await client.close()
})
