import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newEmptyPlace } from '#test/harness/database/databases.ts'
import { startDetour } from '#test/harness/database/detour.ts'
import { until } from '#test/harness/until.ts'
import { parseDatabaseUrl } from '../../core/database-url.ts'
import { openDb } from '../open.ts'
import { Connection } from './connection.ts'
import { Hosts } from './hosts.ts'
import { postgresSignals } from './signals.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

/** Signals on a separate database through a connection that the test can break, with their events and connections. */
async function following() {
  const stack = new AsyncDisposableStack()
  const place = await newEmptyPlace('postgres')
  stack.defer(place.remove)
  const db = await openDb(place.settings)
  stack.defer(db.close)
  const detour = stack.use(await startDetour(place.settings.database_url!))
  const [opened, ended]: [Connection[], Connection[]] = [[], []]
  const [told, broken, heard]: [string[], string[], string[]] = [[], [], []]
  const open = async () => {
    const connection = new Connection({ hosts: new Hosts(parseDatabaseUrl(detour.url)) })
    opened.push(connection)
    connection.on('error', ({ message }) => broken.push(message))
    connection.on('end', () => ended.push(connection))
    await connection.connect()
    return connection
  }
  const signals = await postgresSignals(open, { onError: ({ message }) => void told.push(message) })
  stack.defer(signals.close)
  signals.subscribe('key.changed', (payload) => heard.push(payload))
  signals.onMissed(() => heard.push('missed'))
  const announce = (payload: string) =>
    db.exclusively('o', async (_tx, say) => say('key.changed', payload)).then(() => undefined)
  return {
    signals,
    detour,
    opened,
    ended,
    told,
    broken,
    heard,
    announce,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('announcements of other servers are received, up to a known time', { skip }, async () => {
  await using place = await following()
  assert.equal(place.signals.live(), true)
  await place.announce('a')
  await until(() => place.heard.length > 0)
  assert.deepEqual(place.heard, ['a'])
  assert.ok(place.signals.silentForMs() >= 0)
  assert.deepEqual(place.told, [])
})

test('a cut connection is reported once, and later announcements count as missed', { skip }, async () => {
  await using place = await following()
  place.detour.turn('cut')
  await until(() => !place.signals.live())
  await until(() => place.signals.silentForMs() > 1500)
  assert.equal(place.told.length, 1)
  await place.announce('a')
  place.detour.turn('open')
  await until(() => place.signals.live())
  assert.deepEqual(place.heard, ['missed'])
  await place.announce('b')
  await until(() => place.heard.includes('b'))
  assert.ok(place.signals.silentForMs() < 60_000)
})

test('a connection on which nothing moves is not trusted, and another is opened', { skip }, async () => {
  await using place = await following()
  place.detour.strand()
  await until(() => place.told.length > 0)
  assert.match(place.told[0]!, /does not answer/)
  await until(() => place.signals.live())
  assert.ok(place.opened.length > 1)
})

test('a read-only database is detected within seconds, with few queries', {
  skip,
}, async () => {
  await using place = await following()
  assert.equal(place.signals.readOnly(), false)
  const [connection] = place.opened
  const asked: string[] = []
  const ask = connection!.query.bind(connection)
  connection!.query = (...all: unknown[]) => {
    asked.push(String(all[0]))
    return ask(...all)
  }
  await connection!.query('set default_transaction_read_only = on')
  await until(() => place.signals.readOnly())
  const times = () => asked.filter((query) => query.includes('read_only')).length
  await until(() => asked.length > 8)
  assert.ok(times() <= asked.length / 2, asked.join('\n'))
})

test('lost notifications are detected even if the clock was set back by an hour', { skip }, async () => {
  await using place = await following()
  const { now } = Date
  place.detour.turn('stalled')
  try {
    Date.now = () => now() - 3_600_000
    await until(() => !place.signals.live())
    assert.ok(place.signals.silentForMs() >= 0)
  } finally {
    Date.now = now
  }
})

test('closing notifies the database and is not reported as an error', { skip }, async () => {
  await using place = await following()
  await place.signals.close()
  assert.deepEqual([place.broken, place.told], [[], []])
  const count = place.opened.length
  await new Promise((resolve) => setTimeout(resolve, 700))
  assert.equal(place.opened.length, count)
})

test('a database that says nothing does not hold up the end', { skip }, async () => {
  await using place = await following()
  place.detour.turn('stalled')
  await place.signals.close()
  await until(() => place.ended.length === place.opened.length)
  assert.deepEqual(place.told, [])
})
