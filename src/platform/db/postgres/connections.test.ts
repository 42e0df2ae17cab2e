import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newEmptyTestStore } from '#test/harness/database/databases.ts'
import { until } from '#test/harness/until.ts'
import { parseDatabaseUrl } from '../../core/database-url.ts'
import type { Connection } from './connection.ts'
import { Connections } from './connections.ts'
import { Hosts } from './hosts.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

const settings = {
  database_statement_timeout_ms: 60_000,
  database_lock_timeout_ms: 60_000,
  database_idle_transaction_timeout_ms: 60_000,
  database_query_timeout_ms: 60_000,
  database_keepalive_ms: 10_000,
  database_silence_ms: 60_000,
  database_pool_size: 10,
}

async function connected(more: Partial<typeof settings> = {}) {
  const store = await newEmptyTestStore('postgres')
  const errors: (Error & { client?: unknown })[] = []
  const connections = new Connections(new Hosts(parseDatabaseUrl(store.settings.database_url!)), {
    settings: { ...settings, ...more },
    onError: (error) => errors.push(error),
    onRejectedSettings: () => {},
  })
  const taken = new Set<Connection & { release: (destroy?: boolean) => void }>()
  const take = async () => {
    const one = (await connections.pool.connect()) as unknown as Connection & { release: (destroy?: boolean) => void }
    taken.add(one)
    const { release } = one
    one.release = (destroy) => {
      if (taken.delete(one)) release.call(one, destroy)
    }
    return one
  }
  return {
    connections,
    errors,
    take,
    async [Symbol.asyncDispose]() {
      connections.closeAll()
      // After a failed assertion, the pool would wait for connections that nobody releases.
      for (const one of taken) one.release(true)
      await connections.pool.end()
      await store.remove()
    },
  }
}

test('idle connections are closed without an error, those in use continue', { skip }, async () => {
  await using opened = await connected()
  const [used, idle] = [await opened.take(), await opened.take()]
  await used.query('select 1')
  idle.release()
  assert.deepEqual(opened.connections.usage(), { used: 1, idle: 1, waiting: 0 })
  opened.connections.dropIdle('for a test')
  await until(() => opened.connections.usage().idle === 0)
  assert.equal((await used.query('select 1 as one')).rows[0].one, 1)
  used.release()
  assert.deepEqual(opened.errors, [])
})

test('the reported error does not contain the client, which has the password', { skip }, async () => {
  await using opened = await connected()
  const [one, other] = [await opened.take(), await opened.take()]
  const { processID } = other
  other.release()
  await one.query('select pg_terminate_backend($1)', [processID])
  await until(() => opened.errors.length > 0)
  assert.deepEqual(
    opened.errors.map(({ client }) => client),
    [undefined],
  )
  one.release()
})

test('an answered query clears `pendingSince`, also after an error', { skip }, async () => {
  await using opened = await connected()
  const one = await opened.take()
  const response = one.query('select 1')
  assert.ok(one.pendingSince! <= performance.now())
  await response
  assert.equal(one.pendingSince, undefined)
  await one.query('select no_such_thing').catch(() => {})
  assert.equal(one.pendingSince, undefined)
  one.release()
})

test('the client’s timeout applies whatever the server’s is; other statements continue', { skip }, async () => {
  await using opened = await connected({ database_query_timeout_ms: 400, database_statement_timeout_ms: 100 })
  const [slow, other] = [await opened.take(), await opened.take()]
  await slow.query('set statement_timeout = 0')
  await assert.rejects(slow.query('select pg_sleep(300)'), { code: 'ETIMEDOUT' })
  await until(() => opened.errors.length > 0)
  assert.match(opened.errors[0]!.message, /not answered for 1100 ms: its connection is closed/)
  assert.equal((await other.query('select 1 as one')).rows[0].one, 1)
  other.release()
  slow.release()
})

test('a connection that only the server closed is dead and closed at both sides', { skip }, async () => {
  await using opened = await connected()
  const [dead, young, other] = [await opened.take(), await opened.take(), await opened.take()]
  await new Promise((resolve) => setTimeout(resolve, 1100))
  dead.pendingSince = performance.now() - 5000
  young.pendingSince = performance.now() + 60_000
  const ended = new Promise((resolve) => dead.once('end', resolve))
  await until(() => opened.errors.length > 0)
  await ended
  assert.match(opened.errors[0]!.message, /the server is not processing it: its connection is dead/)
  assert.equal(opened.errors.length, 1)
  young.pendingSince = undefined
  const pids = [dead.processID, young.processID]
  // The server ends the process after it has confirmed the request to do so.
  const rows = await until(async () => {
    const { rows } = await other.query('select pid from pg_stat_activity where pid = any($1)', [pids])
    return rows.length < pids.length && rows
  })
  assert.deepEqual(rows, [{ pid: young.processID }])
  const watching =
    "select 1 from pg_stat_activity where application_name = 'signalbox watch' and datname = current_database()"
  await until(async () => (await other.query(watching)).rows.length === 0)
  for (const one of [young, other]) one.release()
  dead.release()
})

test('a caller counts as waiting only if no connection is idle', { skip }, async () => {
  await using opened = await connected({ database_pool_size: 1 })
  const { connections } = opened
  ;(await connections.acquire()).release()
  const taking = connections.acquire()
  assert.equal(connections.usage().waiting, 0)
  const held = await taking
  const waiting = connections.acquire()
  await until(() => connections.usage().waiting === 1)
  held.release()
  ;(await waiting).release()
  assert.equal(connections.usage().waiting, 0)
})
