import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { createKeyCache } from '#identity/accounts/keys/key-cache.ts'
import { createKeyReader } from '#identity/accounts/keys/read-keys.ts'
import { openDb } from '#platform/db/open.ts'
import { newTestStore, onEachDatabase, type TestStore } from '../../harness/database/databases.ts'
import { startTestService, type TestService } from '../../harness/service/service.ts'
import { timed, until } from '../../harness/until.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

/** The longest time until a revocation reaches every other server. */
const promisedMs = 1000

/** Two servers on one database, and functions that disturb it. */
async function twoServers() {
  const testStore = await newTestStore('postgres')
  const [one, other] = await Promise.all([startTestService({ testStore }), startTestService({ testStore })])
  return {
    one,
    other,
    testStore,
    async [Symbol.asyncDispose]() {
      await Promise.all([one.stop(), other.stop()])
      await testStore.remove()
    },
  }
}

async function sqlOn(testStore: TestStore, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: testStore.settings.database_url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

/** Creates a key on one server and uses it on the other until it is known there. */
async function keyKnownTo(other: TestService, one: TestService) {
  const { body } = await one.manage('POST', '/keys', { name: 'n' })
  for (let n = 0; n < 3; n++) assert.equal(await statusOn(other, body.key), 200)
  return { key: body.key as string, path: `/keys/${body.data.hash}` }
}

const statusOn = async (service: TestService, key: string) => (await service.ask('GET', '/key', { key })).status

/**
 * Repeats requests until the key is refused.
 * @returns the milliseconds until then.
 */
async function assertRefusedInTime(service: TestService, key: string): Promise<number> {
  const { tookMs, allowedMs } = await timed(promisedMs, () => until(async () => (await statusOn(service, key)) === 401))
  assert.ok(tookMs < allowedMs, `${tookMs} ms`)
  return Math.round(tookMs)
}

const listeners =
  "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'signalbox server signals' and datname = current_database()"

describe('a key revoked on one server', { skip }, () => {
  const took: Record<string, number> = {}
  after(() => console.log(`revocation reached the other server after (ms): ${JSON.stringify(took)}`))

  const revocations: [how: string, act: (service: TestService, path: string) => Promise<unknown>][] = [
    ['deleted', (service, path) => service.manage('DELETE', path)],
    ['disabled', (service, path) => service.manage('PATCH', path, { disabled: true })],
    [
      'expired',
      (service, path) => service.manage('PATCH', path, { expires_at: new Date(Date.now() + 50).toISOString() }),
    ],
  ]
  for (const [how, revoke] of revocations) {
    test(`${how}: is refused there at once and on the other within a second`, async () => {
      await using servers = await twoServers()
      const { key, path } = await keyKnownTo(servers.other, servers.one)
      await revoke(servers.one, path)
      if (how !== 'expired') assert.equal(await statusOn(servers.one, key), 401)
      took[how] = await assertRefusedInTime(servers.other, key)
    })
  }

  test('is refused within a second though every LISTEN connection was cut right before', async () => {
    await using servers = await twoServers()
    for (let round = 0; round < 3; round++) {
      const { key, path } = await keyKnownTo(servers.other, servers.one)
      await sqlOn(servers.testStore, listeners)
      await servers.one.manage('DELETE', path)
      took[`cut ${round}`] = await assertRefusedInTime(servers.other, key)
      await sleep(500)
    }
  })

  test('is refused within a second though Postgres lost the notification', async () => {
    await using servers = await twoServers()
    await sqlOn(servers.testStore, 'create function public.pg_notify(text, text) returns void language sql as $$ $$')
    await sqlOn(
      servers.testStore,
      `alter database ${databaseOf(servers.testStore)} set search_path = public, pg_catalog`,
    )
    await servers.one.stop()
    await using deaf = await startTestService({ testStore: servers.testStore })
    const { key, path } = await keyKnownTo(servers.other, deaf)
    await deaf.manage('DELETE', path)
    took.lost = await assertRefusedInTime(servers.other, key)
  })

  test('works again within a second when it is enabled again', async () => {
    await using servers = await twoServers()
    const { key, path } = await keyKnownTo(servers.other, servers.one)
    await servers.one.manage('PATCH', path, { disabled: true })
    await assertRefusedInTime(servers.other, key)
    await servers.one.manage('PATCH', path, { disabled: false })
    const worksAgain = () => until(async () => (await statusOn(servers.other, key)) === 200)
    const { tookMs, allowedMs } = await timed(promisedMs, worksAgain)
    assert.ok(tookMs < allowedMs, `${tookMs} ms`)
  })
})

const databaseOf = (testStore: TestStore) => new URL(testStore.settings.database_url!).pathname.slice(1)

onEachDatabase('the steady state', (kind) => {
  test('ten thousand look-ups of a cached key cause no database query', async () => {
    const testStore = await newTestStore(kind)
    let queries = 0
    const db = await openDb(testStore.settings, { onQuery: () => void queries++ })
    const { apiKey } = (await bootstrap({ db, now: Date.now, newId: () => crypto.randomUUID() }))!
    const keys = createKeyCache({ signals: db.signals, now: Date.now, readKeys: createKeyReader({ db }) })
    await keys.find(apiKey)
    const before = queries
    for (let n = 0; n < 10_000; n++) assert.ok(await keys.find(apiKey))
    assert.equal(queries - before, 0)
    await db.close()
    await testStore.remove()
  })

  test('a flood of unknown keys causes few queries and delays no request', async () => {
    const testStore = await newTestStore(kind)
    let queries = 0
    const db = await openDb(testStore.settings, { onQuery: () => void queries++ })
    const { apiKey } = (await bootstrap({ db, now: Date.now, newId: () => crypto.randomUUID() }))!
    const keys = createKeyCache({ signals: db.signals, now: Date.now, readKeys: createKeyReader({ db }) })
    const before = queries
    const unknown = Array.from({ length: 20_000 }, (_, n) => `sb-v1-${n.toString(16).padStart(64, '0')}`)
    const flood = Promise.all(unknown.map((key) => keys.find(key)))
    assert.ok(await keys.find(apiKey))
    assert.ok((await flood).every((caller) => caller === undefined))
    assert.ok(queries - before < 60, `${queries - before} queries`)
    await db.close()
    await testStore.remove()
  })
})

describe('four servers that start at once on an empty Postgres', { skip }, () => {
  test('all start, and share one organization', async () => {
    const testStore = await newTestStore('postgres')
    const services = await Promise.all([1, 2, 3, 4].map(() => startTestService({ testStore })))
    const organizations = await Promise.all(
      services.map(async (service) => (await service.manage('GET', '/key')).body.data.organization_id),
    )
    assert.equal(new Set(organizations).size, 1)
    await Promise.all(services.map((service) => service.stop()))
    await testStore.remove()
  })
})
