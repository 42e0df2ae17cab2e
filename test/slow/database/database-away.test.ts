import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { newTestStore, type TestStore } from '../../harness/database/databases.ts'
import { startTcpProxy } from '../../harness/database/tcp-proxy.ts'
import { apiKey, askForWords, limitAll, manage, startPriced } from '../../harness/service/load/priced-servers.ts'
import { until } from '../../harness/until.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

/** Longer than any request can wait for a database, also on a busy machine. */
const patienceMs = 180_000

for (const trouble of ['stalled', 'cut'] as const) {
  test(`a database that is ${trouble}: requests are metered or refused, none hangs`, {
    skip,
  }, async () => {
    const testStore = await newTestStore('postgres')
    await using stack = new AsyncDisposableStack()
    stack.defer(testStore.remove)
    const proxy = stack.use(await startTcpProxy(testStore.settings.database_url!))
    const [server] = await startPriced(testStore, 1, proxy.url)
    stack.use(server!)
    const url = await server!.url
    const id = await limitAll(url, { limit_usd: 5 })
    const statuses = new Set<number>()
    let spent = 0
    const ask = async () => {
      const response = await askForWords(url, 5)
      statuses.add(response.status)
      spent += response.cost
      return response
    }
    assert.equal((await ask()).status, 200)
    proxy.turn(trouble)
    for (let round = 0; round < 3; round++) {
      const requests = Array.from({ length: 30 }, ask)
      const late = sleep(patienceMs, 'late', { ref: false })
      assert.notEqual(await Promise.race([Promise.all(requests), late]), 'late', 'a request hangs')
      await sleep(300)
    }
    proxy.turn('open')
    await until(async () => (await ask()).status === 200)
    assert.deepEqual([...statuses].sort(), [200, 503])
    await until(async () => {
      const { data } = await manage(url, 'GET', `/guardrails/${id}`)
      return Math.abs(data.spent_usd - spent) < 1e-9
    })
  })
}

test('a server cut off for longer than its lease exceeds no limit and loses nothing', {
  skip,
}, async () => {
  const testStore = await newTestStore('postgres')
  await using stack = new AsyncDisposableStack()
  stack.defer(testStore.remove)
  const proxy = stack.use(await startTcpProxy(testStore.settings.database_url!))
  const [cutOff] = await startPriced(testStore, 1, proxy.url)
  stack.use(cutOff!)
  const [other] = await startPriced(testStore, 1)
  stack.use(other!)
  const [url, otherUrl] = [await cutOff!.url, await other!.url]
  const id = await limitAll(url, { limit_usd: 1 })
  let spent = 0
  const spendAll = async () => {
    for (let status = 0; status !== 403; ) {
      const response = await askForWords(otherUrl, 10)
      status = response.status
      spent += response.cost
      // Refused only for now: the reservations of the other server count until its lease ends.
      if (status !== 200 && status !== 403) await sleep(100)
    }
  }
  // Half of the limit is in flight when the link is cut, and the provider serves it anyway.
  const inFlight = Array.from({ length: 10 }, () => askForWords(url, 50, 50, false, apiKey, 'demo:slow=3000'))
  await until(async () => (await spentAndReserved(testStore)) >= 0.5)
  proxy.turn('cut')
  for (const { status, cost } of await Promise.all(inFlight)) {
    assert.equal(status, 200)
    spent += cost
  }
  // Refused permanently only when the other server counts the reservations as spent.
  await spendAll()
  assert.ok(spent <= 1 + 1e-9, `${spent} USD were spent of 1 while a server was cut off`)
  proxy.turn('open')
  let result = 0
  const isReported = async () => {
    result = (await manage(otherUrl, 'GET', `/guardrails/${id}`)).data.spent_usd
    return Math.abs(result - spent) < 1e-9
  }
  await until(isReported, undefined, () => `${result} of ${spent} are accounted for`)
  await spendAll()
  assert.ok(spent <= 1 + 1e-9 && spent >= 0.97, `${spent} USD were spent of 1`)
})

/** The sum in USD that the database counts for the key: the guardrail has an account for the key and one for its member. */
async function spentAndReserved({ settings }: TestStore): Promise<number> {
  const client = new pg.Client({ connectionString: settings.database_url })
  await client.connect()
  const { rows } = await client.query(
    `select (select coalesce(sum(spent_pico), 0) from budget_periods where budget like '%:key:%')
          + (select coalesce(sum(held_pico), 0) from budget_leases where budget like '%:key:%') as pico`,
  )
  await client.end()
  return Number(rows[0].pico) / 1e12
}
