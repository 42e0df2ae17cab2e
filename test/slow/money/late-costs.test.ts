import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, startBilled } from '../../harness/service/billed-service.ts'
import { startTestService, type TestService } from '../../harness/service/service.ts'
import { until } from '../../harness/until.ts'
import { cutting } from '../../harness/upstream/faulty/billing-upstream.ts'

const body = {
  model: 'billed/cutting',
  messages: [{ role: 'user', content: 'Hi' }],
  max_tokens: 100,
  stream: true,
  provider: { only: ['billing'] },
}

/** The cost, and what limits were charged without a report, as a server shows them. */
async function spentAt(service: TestService, key: string) {
  const { data } = (await service.ask('GET', '/key', { key })).body
  const [budget] = data.budgets
  return budget.held_usd === 0 && [budget.spent_usd, budget.unconfirmed_usd, budget.remaining_usd]
}

const recordAt = (service: TestService, id: string) =>
  until(async () => (await service.manage('GET', `/generation?id=${id}`)).body.data)

async function startTwo(isKnown: () => boolean, bills: string[]) {
  const billResponse = (path: string) => {
    bills.push(path)
    return isKnown() ? { status: 200, body: { data: { total_cost: 0.25 } } } : { status: 404, body: {} }
  }
  const prices = { prompt: 1, completion: 10_000 }
  const endpointProperties = { cutting: { compatibility: { cost_lookup: 'openrouter' } } }
  const billed = await startBilled({
    kind: 'postgres',
    prices,
    behaviours: { cutting },
    endpointProperties,
    billResponse,
  })
  const other = await startTestService({ testStore: billed.service.testStore, settings: billed.settings })
  return { billed, other }
}

test('one of two servers looks up a cost once, and both show the correction', async () => {
  const bills: string[] = []
  const { billed, other } = await startTwo(() => bills.length > 1, bills)
  await using _billed = billed
  await using _other = other
  const key = await billed.keyWith(100)
  const ids = []
  for (const service of [billed.service, other]) {
    const { headers } = await service.ask('POST', '/chat/completions', { key, body })
    ids.push(headers.get('x-generation-id')!)
  }
  for (const service of [billed.service, other])
    for (const id of ids) await until(async () => (await recordAt(service, id)).unconfirmed_usd === 0)
  const bothShow = () => Promise.all([billed.service, other].map((service) => until(() => spentAt(service, key))))
  assert.deepEqual(await bothShow(), [
    [0.5, 0, 99.5],
    [0.5, 0, 99.5],
  ])
  // One 404 at least for the first, and one bill for each request.
  assert.ok(bills.length >= 3 && bills.length <= 4, `${bills.length} lookups`)
})

test('a server continues the lookup of another one that stopped', async () => {
  let isKnown = false
  const { billed, other } = await startTwo(() => isKnown, [])
  await using _billed = billed
  await using _other = other
  const key = await billed.keyWith(100)
  const { headers } = await ask(billed, key, body)
  const id = headers.get('x-generation-id')!
  assert.ok((await recordAt(other, id)).unconfirmed_usd > 0.5)
  await billed.service.stop()
  isKnown = true
  await until(async () => (await recordAt(other, id)).unconfirmed_usd === 0)
  assert.deepEqual(await until(() => spentAt(other, key)), [0.25, 0, 99.75])
})
