import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newEmptyTestStore } from '#test/harness/database/databases.ts'
import { startTcpProxy } from '#test/harness/database/tcp-proxy.ts'
import { until } from '#test/harness/until.ts'
import { parseDatabaseUrl } from '../../core/database-url.ts'
import { openDb } from '../open.ts'
import { Connection } from './connection.ts'
import { Hosts } from './hosts.ts'
import { openPostgresSignals } from './signals.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

/** Signals on a separate database through a connection that the test can break, with their events and connections. */
async function following() {
  const stack = new AsyncDisposableStack()
  const testStore = await newEmptyTestStore('postgres')
  stack.defer(testStore.remove)
  const db = await openDb(testStore.settings)
  stack.defer(db.close)
  const proxy = stack.use(await startTcpProxy(testStore.settings.database_url!))
  const [opened, ended]: [Connection[], Connection[]] = [[], []]
  const [errors, broken, received]: [string[], string[], string[]] = [[], [], []]
  const open = async () => {
    const connection = new Connection({ hosts: new Hosts(parseDatabaseUrl(proxy.url)) })
    opened.push(connection)
    connection.on('error', ({ message }) => broken.push(message))
    connection.on('end', () => ended.push(connection))
    await connection.connect()
    return connection
  }
  const signals = await openPostgresSignals(open, { onError: ({ message }) => void errors.push(message) })
  stack.defer(signals.close)
  signals.subscribe('key.changed', (payload) => received.push(payload))
  signals.onMissed(() => received.push('missed'))
  const publish = (payload: string) =>
    db.exclusively('o', async (_tx, say) => say('key.changed', payload)).then(() => undefined)
  return {
    signals,
    proxy,
    opened,
    ended,
    errors,
    broken,
    received,
    publish,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('notifications of other servers are received, up to a known time', { skip }, async () => {
  await using fixture = await following()
  assert.equal(fixture.signals.live(), true)
  await fixture.publish('a')
  await until(() => fixture.received.length > 0)
  assert.deepEqual(fixture.received, ['a'])
  assert.ok(fixture.signals.silentForMs() >= 0)
  assert.deepEqual(fixture.errors, [])
})

test('a cut connection is reported once, and later notifications count as missed', { skip }, async () => {
  await using fixture = await following()
  fixture.proxy.turn('cut')
  await until(() => !fixture.signals.live())
  await until(() => fixture.signals.silentForMs() > 1500)
  assert.equal(fixture.errors.length, 1)
  await fixture.publish('a')
  fixture.proxy.turn('open')
  await until(() => fixture.signals.live())
  assert.deepEqual(fixture.received, ['missed'])
  await fixture.publish('b')
  await until(() => fixture.received.includes('b'))
  assert.ok(fixture.signals.silentForMs() < 60_000)
})

test('a connection on which nothing moves is not trusted, and another is opened', { skip }, async () => {
  await using fixture = await following()
  fixture.proxy.strand()
  await until(() => fixture.errors.length > 0)
  assert.match(fixture.errors[0]!, /does not respond/)
  await until(() => fixture.signals.live())
  assert.ok(fixture.opened.length > 1)
})

test('a read-only database is detected within seconds, with few queries', {
  skip,
}, async () => {
  await using fixture = await following()
  assert.equal(fixture.signals.isReadOnly(), false)
  const [connection] = fixture.opened
  const requests: string[] = []
  const ask = connection!.query.bind(connection)
  connection!.query = (...all: unknown[]) => {
    requests.push(String(all[0]))
    return ask(...all)
  }
  await connection!.query('set default_transaction_read_only = on')
  await until(() => fixture.signals.isReadOnly())
  const times = () => requests.filter((query) => query.includes('read_only')).length
  await until(() => requests.length > 8)
  assert.ok(times() <= requests.length / 2, requests.join('\n'))
})

test('lost notifications are detected even if the clock was set back by an hour', { skip }, async () => {
  await using fixture = await following()
  const { now } = Date
  fixture.proxy.turn('stalled')
  try {
    Date.now = () => now() - 3_600_000
    await until(() => !fixture.signals.live())
    assert.ok(fixture.signals.silentForMs() >= 0)
  } finally {
    Date.now = now
  }
})

test('closing notifies the database and is not reported as an error', { skip }, async () => {
  await using fixture = await following()
  await fixture.signals.close()
  assert.deepEqual([fixture.broken, fixture.errors], [[], []])
  const count = fixture.opened.length
  await new Promise((resolve) => setTimeout(resolve, 700))
  assert.equal(fixture.opened.length, count)
})

test('a database that says nothing does not hold up the end', { skip }, async () => {
  await using fixture = await following()
  fixture.proxy.turn('stalled')
  await fixture.signals.close()
  await until(() => fixture.ended.length === fixture.opened.length)
  assert.deepEqual(fixture.errors, [])
})
