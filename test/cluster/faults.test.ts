import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { limitAll, manage } from '#test/harness/service/load/priced-servers.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { cutFromClients, cutFromDatabase, rejoinAll, rejoinDatabase } from './network.ts'
import { type Ended, request, startTraffic, until } from './traffic.ts'

const skip = process.env.CLUSTER_NETWORK ? false : 'three servers on separate hosts: "npm run test:cluster"'

/** The requests that a crash can lose (docs/operations.md): those that the dead server answered just before. */
const unwrittenMs = 1500

describe('three servers on one Postgres', { skip, concurrency: 1 }, () => {
  afterEach(rejoinAll)

  test('one is killed: the others continue, acknowledged requests are metered once', async () => {
    await using cluster = await startCluster()
    await limitAll(cluster.url, { limit_usd: 4 })
    await using writes = startWrites(cluster.url)
    await using traffic = startTraffic(cluster.url, 60, (at) => ({ tokens: 5, ms: 100, stream: at % 3 === 0 }))
    await sleep(4000)
    cluster.server(0).signal('SIGKILL')
    const killedAt = Date.now()
    await sleep(4000)
    await cluster.start(0)
    await sleep(5000)
    const ended = await traffic.stop()
    assert.ok(ended.some(({ at, whole }) => whole && at > killedAt + 1000))
    await assertMetered(
      cluster,
      ended.filter(({ server, at }) => server !== 's0' || at < killedAt - unwrittenMs || at > killedAt + 1000),
    )
    await assertNothingOver(cluster, 4)
    await writes.assertKept(cluster.url)
  })

  test('one is cut off from the database: its spending counts before the limit is leased', async () => {
    await using cluster = await startCluster()
    await limitAll(cluster.url, { limit_usd: 4 })
    await using writes = startWrites(cluster.url)
    await using direct = startTraffic(cluster.urlOf(1), 10, () => ({ tokens: 5, ms: 2000 }))
    await using traffic = startTraffic(cluster.url, 20, (at) => ({ tokens: 5, ms: 100, stream: at % 3 === 0 }))
    await sleep(3000)
    cutFromDatabase(1)
    await sleep(40_000)
    rejoinDatabase(1)
    await until('it responses again', async () => (await request(cluster.urlOf(1), { tokens: 1 })).status !== 503)
    const ended = [...(await traffic.stop()), ...(await direct.stop())]
    await assertMetered(cluster, ended)
    await assertNothingOver(cluster, 4)
    await writes.assertKept(cluster.url)
  })

  test('the host of one dies in a transaction: the others meter again within 30 s', async () => {
    await using cluster = await startCluster()
    await limitAll(cluster.url, { limit_usd: 100 })
    await using traffic = startTraffic(cluster.url, 60, (at) => ({ tokens: 5, ms: 50, stream: at % 3 === 0 }))
    await freezeInTransaction(cluster, 0)
    cutFromDatabase(0)
    cutFromClients(0)
    cluster.server(0).signal('SIGKILL')
    const diedAt = Date.now()
    await sleep(2000)
    const answered = await until(
      'another server answers',
      async () => {
        const one = await request(cluster.urlOf(1), { tokens: 1 })
        return one.whole ? one : undefined
      },
      30_000,
    )
    await until('it is metered', async () => (await meteredOf(cluster, [answered.name])).get(answered.name), 30_000)
    await sleep(1000)
    const ended = await traffic.stop()
    await assertMetered(
      cluster,
      ended.filter(({ server, at }) => server !== 's0' || at < diedAt - 15_000),
    )
  })

  test('the clock of one is ten minutes ahead: a limit is used up, and no more', async () => {
    await using cluster = await startCluster({}, [0, 0, 600_000])
    await limitAll(cluster.url, { limit_usd: 2 })
    await using traffic = startTraffic(cluster.url, 60, () => ({ tokens: 5, ms: 20 }))
    await until('the limit is used up', async () => cluster.provider.billedUsd() >= 1.9, 180_000)
    // Requests beyond the limit.
    await sleep(5000)
    const ended = await traffic.stop()
    assert.ok(
      ended.some(({ status }) => status === 403 || status === 429),
      'the limit was reached',
    )
    await assertMetered(cluster, ended)
    await assertNothingOver(cluster, 2)
  })

  test('a rolling restart loses no request and cuts no stream', async () => {
    await using cluster = await startCluster({ DRAIN_MS: '8000', SHUTDOWN_GRACE_MS: '300000' })
    await using writes = startWrites(cluster.url)
    const wish = (at: number) => (at % 10 === 0 ? { tokens: 20, ms: 8000, stream: true } : { tokens: 5, ms: 20 })
    await using traffic = startTraffic(cluster.url, 60, wish)
    await sleep(2000)
    for (const host of [0, 1, 2]) {
      cluster.server(host).signal('SIGTERM')
      assert.equal(await cluster.server(host).ended, 0)
      await cluster.start(host)
      await sleep(2000)
    }
    const ended = await traffic.stop()
    const broken = ended.filter(({ whole }) => !whole).map(({ status, server, text }) => ({ status, server, text }))
    console.log(`rolling restart of three servers: ${ended.length} requests, ${broken.length} failed`)
    assert.deepEqual(broken.slice(0, 3), [], `${broken.length} of ${ended.length} requests went wrong`)
    await assertMetered(cluster, ended)
    await writes.assertKept(cluster.url)
    assert.equal(writes.failed(), 0)
  })
})

/** Every whole response that a client got is in the ledger, once. */
async function assertMetered(cluster: Cluster, ended: Ended[]): Promise<void> {
  const names = ended.filter(({ whole }) => whole).map(({ name }) => name)
  assert.ok(names.length > 100, `only ${names.length} responses`)
  const missing = async () => {
    const metered = await meteredOf(cluster, names)
    return names.filter((name) => metered.get(name) !== 1)
  }
  await until('all is metered', async () => (await missing()).length === 0, 30_000).catch(() => {})
  const still = await missing()
  console.log(`${names.length} whole responses, ${still.length} not metered exactly once`)
  assert.deepEqual(still.slice(0, 3), [], `${still.length} of ${names.length} responses are not metered exactly once`)
}

async function meteredOf(cluster: Cluster, names: string[]): Promise<Map<string, number>> {
  const rows = await cluster.rows<{ upstream_id: string; times: string }>(
    'select upstream_id, count(*) as times from generations where upstream_id = any($1) group by 1',
    [names.map((name) => `chatcmpl-${name}`)],
  )
  return new Map(rows.map(({ upstream_id, times }) => [upstream_id.slice('chatcmpl-'.length), Number(times)]))
}

async function assertNothingOver(cluster: Cluster, limitUsd: number): Promise<void> {
  const billed = cluster.provider.billedUsd()
  console.log(`${billed.toFixed(3)} of ${limitUsd} USD were billed`)
  assert.ok(billed <= limitUsd + 1e-9, `${billed} of ${limitUsd} USD were billed`)
}

/** Stops the server at a moment at which it holds what all others need of the limit, and says nothing to its database. */
async function freezeInTransaction(cluster: Cluster, host: number): Promise<void> {
  const holds = async () =>
    (
      await cluster.rows(
        `select from pg_stat_activity join pg_locks using (pid)
         where host(client_addr) = $1 and state = 'idle in transaction' and locktype = 'advisory' and granted`,
        [`10.91.1.${11 + host}`],
      )
    ).length > 0
  const deadline = Date.now() + 120_000
  while (Date.now() < deadline) {
    if (!(await holds())) continue
    cluster.server(host).signal('SIGSTOP')
    await sleep(50)
    if (await holds()) return
    cluster.server(host).signal('SIGCONT')
  }
  throw new Error('the server was never caught within a transaction')
}

/** Somebody who makes keys all the time, and remembers which were acknowledged. */
function startWrites(url: string) {
  const acknowledged: string[] = []
  let [going, failed] = [true, 0]
  const running = (async () => {
    while (going) {
      const created = await manage(url, 'POST', '/keys', { name: `key ${acknowledged.length}` }).catch(() => undefined)
      if (created?.data?.hash) acknowledged.push(created.data.hash)
      else failed++
      await sleep(100)
    }
  })()
  const stop = async () => {
    going = false
    await running
  }
  return {
    failed: () => failed,
    async assertKept(at: string) {
      await stop()
      assert.ok(acknowledged.length > 0)
      const stored = new Set<string>()
      for (let offset = 0; ; offset += 100) {
        const { data } = await manage(at, 'GET', `/keys?limit=100&offset=${offset}`)
        for (const { hash } of data) stored.add(hash)
        if (data.length < 100) break
      }
      assert.deepEqual(
        acknowledged.filter((hash) => !stored.has(hash)),
        [],
        'acknowledged writes that are lost',
      )
    },
    [Symbol.asyncDispose]: stop,
  }
}
