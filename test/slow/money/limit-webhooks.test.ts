import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DatabaseKind, newTestStore } from '../../harness/database/databases.ts'
import { askForWords, manage, startPriced, usdOfWord } from '../../harness/service/load/priced-servers.ts'
import { startReceiver, verified } from '../../harness/service/receiver.ts'
import { until } from '../../harness/until.ts'

const limitUsd = 1
const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

describe('each threshold of a limit is notified once, under concurrent spending', () => {
  test('on one server of three workers', () => testNotifiedOnce('sqlite', 1, 3))
  test('on two servers of two workers each', { skip }, () => testNotifiedOnce('postgres', 2, 2))
})

async function testNotifiedOnce(kind: DatabaseKind, count: number, workers: number): Promise<void> {
  const testStore = await newTestStore(kind)
  await using stack = new AsyncDisposableStack()
  stack.defer(testStore.remove)
  const receiver = stack.use(await startReceiver())
  const env = { WORKERS: String(workers), WEBHOOK_ORIGINS: receiver.origin }
  const servers = await startPriced(testStore, count, undefined, env)
  for (const server of servers) stack.use(server)
  const urls = await Promise.all(servers.map(({ url }) => url))
  const events = ['limit.nearly_spent', 'limit.spent']
  const { data: webhook, secret } = await manage(urls[0]!, 'POST', '/webhooks', { url: receiver.url, events })
  const budget = '/workspaces/default/budgets/monthly'
  const { data: created } = await manage(urls[0]!, 'PUT', budget, { limit_usd: limitUsd, thresholds: [80, 100] })
  await Promise.all(Array.from({ length: 24 }, (_, at) => spendTillRefused(urls[at % urls.length]!)))
  const [nearly, spent] = await Promise.all(events.map((event) => receiver.receive(event)))
  // The last reports, which return the leases, could queue a second notification.
  const { data } = await until(async () => {
    const read = await manage(urls[0]!, 'GET', budget)
    return read.data.held_usd === 0 && read
  })
  const { data: deliveries } = await manage(urls[0]!, 'GET', `/webhooks/${webhook.id}/deliveries`)
  assert.deepEqual(deliveries.map(({ event }: { event: string }) => event).sort(), events)
  // A delivery to a slow receiver is repeated with the same id.
  const ids = new Map(receiver.received.map(({ headers, result }) => [headers['webhook-id'], result.type]))
  assert.deepEqual([...ids.values()].sort(), events)
  for (const [result, percent] of [
    [nearly, 80],
    [spent, 100],
  ] as const) {
    const payload = verified(secret, result!).data
    assert.deepEqual(
      [payload.limit_of, payload.budget_id, payload.percent, payload.limit_usd, payload.resets_at],
      ['workspace', created.id, percent, limitUsd, data.resets_at],
    )
    assert.ok(payload.spent_usd >= 0.8 && payload.spent_usd <= 1, `${payload.spent_usd}`)
  }
}

async function spendTillRefused(url: string): Promise<void> {
  for (let completed = 0; completed * 7 * usdOfWord <= limitUsd; ) {
    const { status, body } = await askForWords(url, 7)
    if (status === 403) return
    // 429: the reservations of others can be free in a moment.
    assert.ok(status === 200 || status === 429, body)
    if (status === 200) completed++
  }
  assert.fail('One client spent more than the whole limit.')
}
