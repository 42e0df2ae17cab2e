import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { newTestStore } from '../../harness/database/databases.ts'
import { startTcpProxy } from '../../harness/database/tcp-proxy.ts'
import { askForWords, manage, startPriced } from '../../harness/service/load/priced-servers.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

const limitUsd = 0.2

/** A server whose database can be disconnected, with two cached keys: one with a limit and one without. */
async function start(env: Record<string, string>) {
  const testStore = await newTestStore('postgres')
  const stack = new AsyncDisposableStack()
  stack.defer(testStore.remove)
  const proxy = stack.use(await startTcpProxy(testStore.settings.database_url!))
  const [server] = await startPriced(testStore, 1, proxy.url, env)
  stack.use(server!)
  const url = await server!.url
  const free = (await manage(url, 'POST', '/keys', { name: 'free' })).key as string
  const limited = (await manage(url, 'POST', '/keys', { name: 'limited', limit: limitUsd })).key as string
  const unknown = (await manage(url, 'POST', '/keys', { name: 'unknown' })).key as string
  const counts = { served: 0, spentLimited: 0 }
  const ask = async (key: string) => {
    const { status, cost } = await askForWords(url, 1, 1, false, key)
    if (status === 200) counts.served++
    if (key === limited) counts.spentLimited += cost
    return status
  }
  const untilIs = async (key: string, expected: number) => {
    for (const deadline = Date.now() + 60_000; (await ask(key)) !== expected; await sleep(50)) {
      assert.ok(Date.now() < deadline, `it is not ${expected}`)
    }
  }
  const metered = async () => {
    const client = new pg.Client({ connectionString: testStore.settings.database_url })
    await client.connect()
    const { rows } = await client.query('select coalesce(sum(requests), 0)::int as n from usage_days')
    await client.end()
    return rows[0].n as number
  }
  assert.deepEqual([await ask(free), await ask(limited)], [200, 200])
  return {
    keys: { free, limited, unknown },
    counts,
    ask,
    untilIs,
    metered,
    turn: proxy.turn,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

for (const trouble of ['cut', 'stalled'] as const) {
  test(`a database that is ${trouble}: known keys without a limit are served`, {
    skip,
  }, async () => {
    await using server = await start({ STALE_KEYS_MS: '600000' })
    const { keys, counts, ask, untilIs, metered, turn } = server
    turn(trouble)
    await untilIs(keys.limited, 503)
    for (let n = 0; n < 20; n++) {
      assert.equal(await ask(keys.free), 200)
      await sleep(150)
    }
    assert.deepEqual([await ask(keys.limited), await ask(keys.unknown)], [503, 503])
    turn('open')
    await untilIs(keys.limited, 200)
    for (const deadline = Date.now() + 60_000; (await metered()) !== counts.served; await sleep(100)) {
      assert.ok(Date.now() < deadline, `${await metered()} of ${counts.served} are metered`)
    }
  })
}

test('cached values expire after the configured time', { skip }, async () => {
  await using server = await start({ STALE_KEYS_MS: '3000' })
  server.turn('cut')
  await server.untilIs(server.keys.free, 503)
  server.turn('open')
  await server.untilIs(server.keys.free, 200)
})

test('requests under a limit use leased amounts if configured, within the limit', {
  skip,
}, async () => {
  await using server = await start({ STALE_KEYS_MS: '600000', STALE_LIMITS: 'leased' })
  const { keys, counts, ask, turn } = server
  await sleep(50)
  turn('cut')
  const statuses = new Set<number>()
  for (let n = 0; n < 60; n++) statuses.add(await ask(keys.limited))
  turn('open')
  assert.ok(counts.spentLimited > 0.001, 'something was leased')
  assert.ok(counts.spentLimited <= limitUsd, `${counts.spentLimited} USD`)
  assert.deepEqual([...statuses].sort(), [200, 503])
})

test('without the setting requests are refused within a second', { skip }, async () => {
  await using server = await start({})
  server.turn('cut')
  await server.untilIs(server.keys.free, 503)
})
