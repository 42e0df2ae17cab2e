import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import pg from 'pg'
import { type DatabaseKind, newTestStore, onEachDatabase, type TestStore } from '../../harness/database/databases.ts'
import { expireLeases, killServer, ledgerUsd, readAccount } from '../../harness/money/money-kills.ts'
import {
  askForWords,
  manage,
  type SharedBudget,
  setBudget,
  startPriced,
  usdOfWord,
} from '../../harness/service/load/priced-servers.ts'
import { startReceiver } from '../../harness/service/receiver.ts'
import type { ServerProcess } from '../../harness/service/server-process.ts'
import { until } from '../../harness/until.ts'

const near = (a: number, b: number) => Math.abs(a - b) < 1e-9
/** A request whose response does not arrive while the test runs. */
const slow = 'demo:slow=600000'

type World = AsyncDisposable & {
  testStore: TestStore
  start: (env?: object) => Promise<{ server: ServerProcess; url: string }>
}

async function newWorld(kind: DatabaseKind): Promise<World> {
  const testStore = await newTestStore(kind)
  const stack = new AsyncDisposableStack()
  stack.defer(testStore.remove)
  return {
    testStore,
    async start(env = {}) {
      const [server] = await startPriced(testStore, 1, undefined, env)
      return { server: stack.use(server!), url: await server!.url }
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

/**
 * Sends the smallest possible requests until the limit leaves no room.
 * @returns their cost.
 */
async function spendTheRest(url: string): Promise<number> {
  for (let usd = 0; ; ) {
    const { status, cost, body } = await askForWords(url, 1)
    if (status === 403) return usd
    // 429: charges that the ledger does not have yet are reserved.
    assert.ok(status === 200 || status === 429, body)
    usd += cost
    // No limit of these tests is larger.
    assert.ok(usd <= 1 + 1e-9, 'the limit does not hold')
  }
}

onEachDatabase('a server that is killed with money in its hands', (kind) => {
  test('reserved and not settled: counts as spent once', async () => {
    await using w = await newWorld(kind)
    const first = await w.start()
    const budget = await setBudget(first.url, 1)
    const completedCost = (await askForWords(first.url, 100)).cost
    await until(async () => near((await manage(first.url, 'GET', budget.path)).data.spent_usd, completedCost))
    const held = Array.from({ length: 4 }, () => askForWords(first.url, 50, 50, false, undefined, slow).catch(() => {}))
    await until(async () => (await manage(first.url, 'GET', budget.path)).data.held_usd >= 200 * usdOfWord)
    await killServer(first.server)
    await Promise.all(held)
    await expireLeases(w.testStore)
    const remaining = await readAccount(w.testStore, budget.account)
    assert.ok(remaining.spent <= completedCost + 1e-9, `${remaining.spent}`)
    assert.ok(
      remaining.spent + remaining.held >= completedCost + 200 * usdOfWord - 1e-9,
      'what may have been billed is charged',
    )
    assert.ok(
      remaining.spent + remaining.held <= completedCost + 200 * usdOfWord + 0.01 + 1e-9,
      `${remaining.held} are held`,
    )
    const second = await w.start()
    const rest = await spendTheRest(second.url)
    assert.ok(
      near(rest + remaining.spent + remaining.held, 1) || rest + remaining.spent + remaining.held <= 1,
      `${rest}`,
    )
    assert.ok(rest > 1 - remaining.spent - remaining.held - 2 * usdOfWord, `${rest} could be spent`)
    const { data } = await until(async () => {
      const read = await manage(second.url, 'GET', budget.path)
      return near(read.data.spent_usd, remaining.spent + remaining.held + rest) && read
    })
    assert.ok(data.spent_usd <= 1 + 1e-9)
  })

  test('at random moments: no limit is exceeded, nothing is charged or notified twice', {
    timeout: 900_000,
  }, async () => {
    await using w = await newWorld(kind)
    await using receiver = await startReceiver()
    const events = ['limit.nearly_spent', 'limit.spent']
    const env = { WEBHOOK_ORIGINS: receiver.origin }
    const sum = { completedCost: 0, cutOff: 0 }
    let budget: SharedBudget = { path: '', account: '' }
    for (let round = 0; round < 3; round++) {
      const { server, url } = await w.start(env)
      if (round === 0) {
        budget = await setBudget(url, 1, 'monthly')
        await manage(url, 'POST', '/webhooks', { url: receiver.url, events })
      }
      await spendUntilKilled(server, url, 0.12 + Math.random() * 0.03, sum)
      await expireLeases(w.testStore)
      const { spent, held } = await readAccount(w.testStore, budget.account)
      const written = await ledgerUsd(w.testStore)
      assert.ok(spent <= written + 1e-9, `charged twice: ${spent} of ${written}`)
      assert.ok(spent + held >= sum.completedCost - 1e-9, `${spent} + ${held} are charged of ${sum.completedCost}`)
      assert.ok(written <= sum.completedCost + sum.cutOff + 1e-9, `metered twice: ${written}`)
      // Each server has a hundredth available, in addition to the requests in flight.
      const most = sum.completedCost + sum.cutOff + 0.01 * (round + 1)
      assert.ok(spent + held <= most + 1e-9, `${spent} + ${held} are charged of ${most}`)
    }
    const last = await w.start(env)
    sum.completedCost += await spendTheRest(last.url)
    assert.ok(sum.completedCost <= 1 + 1e-9, `${sum.completedCost} USD were spent of 1`)
    for (const event of events) await receiver.receive(event)
    await until(async () => (await manage(last.url, 'GET', budget.path)).data.held_usd === 0)
    const percents = new Map(
      receiver.received.map(({ headers, result: event }) => [headers['webhook-id'], event.data.percent]),
    )
    assert.deepEqual([...percents.values()].sort(), [100, 50, 80])
  })
})

/** Sends many requests at once; the server is killed after this many responses, with requests in flight. */
async function spendUntilKilled(
  server: ServerProcess,
  url: string,
  usd: number,
  sum: { completedCost: number; cutOff: number },
): Promise<void> {
  let here = 0
  const ask = async () => {
    while (here < usd) {
      const response = await askForWords(url, 3).catch(() => undefined)
      if (!response) {
        sum.cutOff += 3 * usdOfWord
        return
      }
      if (response.status !== 200) return
      sum.completedCost += response.cost
      here += response.cost
    }
    server.signal('SIGKILL')
  }
  await Promise.all(Array.from({ length: 6 }, ask))
  await killServer(server)
}

test('killed while Postgres blocks its reports: written and charged once', {
  skip: process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set',
}, async () => {
  await using w = await newWorld('postgres')
  const first = await w.start()
  const budget = await setBudget(first.url, 1)
  let completedCost = (await askForWords(first.url, 1)).cost
  const client = new pg.Client({ connectionString: w.testStore.settings.database_url })
  await client.connect()
  await client.query('begin; lock table generations, budget_leases in access exclusive mode')
  // From the available amount of the server, without a query.
  for (let requestCount = 0; requestCount < 4; requestCount++) completedCost += (await askForWords(first.url, 1)).cost
  // They are in a spill file by then, and are also being written to the database.
  const unwritten = join(w.testStore.settings.data_dir, 'data', 'unwritten')
  await until(() => readdirSync(unwritten).some((name) => name.endsWith('.jsonl')))
  await killServer(first.server)
  await client.query('rollback')
  await client.end()
  await expireLeases(w.testStore)
  const second = await w.start()
  await until(async () => near(await ledgerUsd(w.testStore), completedCost))
  const { spent, held } = await readAccount(w.testStore, budget.account)
  assert.ok(
    spent + held >= completedCost - 1e-9 && spent <= completedCost + 1e-9,
    `${spent} + ${held} of ${completedCost}`,
  )
  const rest = await spendTheRest(second.url)
  assert.ok(rest <= 1 - spent - held + 1e-9, `${rest}`)
})

describe('killed while a period changes', () => {
  const skewed = (at: string) => ({
    // As a URL: in these options, a space would end the path.
    NODE_OPTIONS: `--import ${new URL('../../cluster/skewed-clock.ts', import.meta.url).href}`,
    CLOCK_SKEW_MS: String(Date.parse(at) - Date.now()),
  })

  test('the new one has its whole limit, the old one keeps the reservation', async () => {
    await using w = await newWorld('sqlite')
    // Hours before its end: however long a start takes, the month does not change during the test.
    const before = skewed('2026-11-30T22:00:00Z')
    const first = await w.start(before)
    const budget = await setBudget(first.url, 0.1, 'monthly')
    const held = askForWords(first.url, 50, 50, false, undefined, slow).catch(() => {})
    await until(async () => (await manage(first.url, 'GET', budget.path)).data.held_usd >= 0.05)
    await killServer(first.server)
    await held
    await expireLeases(w.testStore)
    const second = await w.start(skewed('2026-11-30T23:00:00Z'))
    const old = await spendTheRest(second.url)
    assert.ok(old <= 0.05 + 1e-9 && old > 0.04, `${old}`)
    await killServer(second.server)
    const third = await w.start(skewed('2026-12-01T00:00:01Z'))
    const rest = await spendTheRest(third.url)
    assert.ok(near(rest, 0.1), `${rest} of the new month could be spent`)
  })
})
