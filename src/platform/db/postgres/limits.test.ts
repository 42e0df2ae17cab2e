import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { newEmptyTestStore, type TestStore } from '#test/harness/database/databases.ts'
import { startTcpProxy } from '#test/harness/database/tcp-proxy.ts'
import { until } from '#test/harness/until.ts'
import { parseDatabaseUrl } from '../../core/database-url.ts'
import { sql } from '../kysely.ts'
import { migrate, migrations } from '../migrate.ts'
import { openDb } from '../open.ts'
import { Connection } from './connection.ts'
import { poolWithoutTimeouts } from './connections.ts'
import { Hosts } from './hosts.ts'
import { openPostgres } from './open.ts'
import { applySession } from './session.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

const limits = {
  database_statement_timeout_ms: 300,
  database_lock_timeout_ms: 200,
  database_idle_transaction_timeout_ms: 400,
  database_query_timeout_ms: 60_000,
  database_keepalive_ms: 10_000,
  database_silence_ms: 60_000,
  database_pool_size: 10,
}
const long = 60_000

async function withPlace(run: (place: TestStore, url: string) => Promise<void>): Promise<void> {
  const testStore = await newEmptyTestStore('postgres')
  await run(testStore, testStore.settings.database_url!).finally(testStore.remove)
}

const user = (id: string) => ({ id, name: id, email: `${id}@localhost`, created_at: 1 })

test('every connection carries the times that Postgres keeps', { skip }, () =>
  withPlace(async ({ settings }) => {
    await using stack = new AsyncDisposableStack()
    const db = await openDb({ ...settings, ...limits })
    stack.defer(db.close)
    const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'tcp_keepalives_idle']
    const { rows } = await sql<{ setting: string }>`
      select setting from pg_settings where name in (${sql.join(names)}) order by name`.execute(db.query)
    assert.deepEqual(
      rows.map(({ setting }) => setting),
      ['400', '200', '300', '10'],
    )
    await assert.rejects(sql`select pg_sleep(60)`.execute(db.query), { code: '57014' })
  }),
)

test('unsupported settings are named, and the others apply', { skip }, () =>
  withPlace(async (_place, url) => {
    const connection = new Connection({ hosts: new Hosts(parseDatabaseUrl(url)) })
    await connection.connect()
    assert.deepEqual(await applySession(connection, { statement_timeout: 1234, no_such_setting: 1 }), [
      'no_such_setting',
    ])
    const { rows } = await connection.query('show statement_timeout')
    assert.equal(rows[0].statement_timeout, '1234ms')
    await connection.end()
  }),
)

test('a migration may take longer than a statement may, whatever the role says', { skip }, () =>
  withPlace(async (_place, url) => {
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    await admin.query(`alter database ${new URL(url).pathname.slice(1)} set statement_timeout = 200`)
    await admin.end()
    const slow = { up: (db: never) => sql`select pg_sleep(1)`.execute(db) }
    const db = await openPostgres(
      url,
      (query) => migrate({ kind: 'postgres', query }, { ...migrations, '9999_slow': slow as never }),
      {},
      limits,
    )
    const { rows } = await sql`select 1 from kysely_migration where name = '9999_slow'`.execute(db.query)
    assert.equal(rows.length, 1)
    await db.close()
    await poolWithoutTimeouts(new Hosts(parseDatabaseUrl(url)), limits).end()
  }),
)

test('locks of a host that died in a transaction are released soon', { skip }, () =>
  withPlace(async ({ settings }, url) => {
    await using stack = new AsyncDisposableStack()
    const proxy = stack.use(await startTcpProxy(url))
    const dying = await openDb({ ...settings, ...limits, database_url: proxy.url })
    stack.defer(dying.close)
    const living = await openDb({
      ...settings,
      ...limits,
      database_lock_timeout_ms: long,
      database_statement_timeout_ms: long,
    })
    stack.defer(living.close)
    const holding = Promise.withResolvers<void>()
    const dead = dying.query.transaction().execute(async (tx) => {
      await tx.insertInto('users').values(user('a')).execute()
      holding.resolve()
      proxy.strand()
      await sleep(limits.database_idle_transaction_timeout_ms * 2)
      await tx.selectFrom('users').selectAll().execute()
    })
    dead.catch(() => {})
    await holding.promise
    // It waits for the uncommitted row with the same id, and continues when that transaction has ended.
    await living.query.insertInto('users').values(user('a')).execute()
  }),
)

test('a query on a silently dead connection fails soon, and the next one reconnects', { skip }, () =>
  withPlace(async ({ settings }, url) => {
    await using stack = new AsyncDisposableStack()
    const proxy = stack.use(await startTcpProxy(url))
    const messages: string[] = []
    const patient = { database_statement_timeout_ms: long, database_idle_transaction_timeout_ms: long }
    const db = await openDb(
      { ...settings, ...limits, ...patient, database_url: proxy.url },
      { onError: ({ message }) => messages.push(message) },
    )
    stack.defer(db.close)
    await db.query
      .transaction()
      .execute(async (tx) => {
        await tx.selectFrom('users').selectAll().execute()
        proxy.strand()
        await assert.rejects(tx.selectFrom('users').selectAll().execute(), { code: 'ETIMEDOUT' })
      })
      .catch(() => {})
    assert.deepEqual(await db.query.selectFrom('users').selectAll().execute(), [])
    assert.ok(
      messages.some((message) => /the server is not processing it: its connection is dead/.test(message)),
      messages.join(),
    )
  }),
)

test('a query that the server works on is not taken for dead', { skip }, () =>
  withPlace(async ({ settings }) => {
    const db = await openDb({ ...settings, ...limits, database_statement_timeout_ms: long })
    const { rows } = await sql`select 1 from pg_sleep(3.5)`.execute(db.query)
    assert.equal(rows.length, 1)
    await db.close()
  }),
)

test(
  'a silent database delays nobody beyond the limit, and is used when it answers',
  {
    skip,
  },
  () =>
    withPlace(async ({ settings }, url) => {
      await using stack = new AsyncDisposableStack()
      const proxy = stack.use(await startTcpProxy(url))
      const patient = { database_statement_timeout_ms: long, database_idle_transaction_timeout_ms: long }
      let backAfterMs = 0
      const db = await openDb(
        { ...settings, ...limits, ...patient, database_silence_ms: 1000, database_url: proxy.url },
        { onRecovered: (awayMs) => (backAfterMs = awayMs) },
      )
      stack.defer(db.close)
      const ask = () => db.query.selectFrom('users').selectAll().execute()
      const responses = () =>
        ask().then(
          () => true,
          () => false,
        )
      await until(responses)
      proxy.turn('stalled')
      await assert.rejects(ask(), { code: 'ETIMEDOUT', message: /not responded for 1000 ms/ })
      // It does not even wait for a connection.
      await assert.rejects(ask(), /not responded for 1000 ms/)
      proxy.turn('open')
      await until(() => backAfterMs > 0)
      await until(responses)
    }),
)

test('a database that is stalled does not keep the service from closing it', { skip }, () =>
  withPlace(async ({ settings }, url) => {
    await using stack = new AsyncDisposableStack()
    const proxy = stack.use(await startTcpProxy(url))
    const db = await openDb({ ...settings, ...limits, database_url: proxy.url })
    await db.query.selectFrom('users').selectAll().execute()
    proxy.turn('stalled')
    const waiting = db.query.selectFrom('users').selectAll().execute()
    waiting.catch(() => {})
    await db.close()
    await assert.rejects(waiting, { code: 'ETIMEDOUT' })
  }),
)
