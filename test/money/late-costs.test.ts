import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../harness/database/databases.ts'
import { ask, type BilledService, startBilled } from '../harness/service/billed-service.ts'
import { startTestService } from '../harness/service/service.ts'
import { until } from '../harness/until.ts'
import { cutting } from '../harness/upstream/faulty/billing-upstream.ts'

/** 100 tokens of a response cost 1 USD. */
const prices = { prompt: 1, completion: 10_000 }
const endpointProperties = { cutting: { compatibility: { cost_lookup: 'openrouter' } } }
const body = {
  model: 'billed/cutting',
  messages: [{ role: 'user', content: 'Hi' }],
  max_tokens: 100,
  stream: true,
  provider: { only: ['billing'] },
}

/** Sends a request whose response breaks off. @returns its record and its key. */
async function breakOff(billed: BilledService) {
  const key = await billed.keyWith(100)
  const { headers } = await ask(billed, key, body)
  return { key, id: headers.get('x-generation-id')! }
}

const recordOf = ({ service }: BilledService, id: string) =>
  until(async () => (await service.manage('GET', `/generation?id=${id}`)).body.data)

async function limitOf({ service }: BilledService, key: string) {
  const { data } = (await service.ask('GET', '/key', { key })).body
  const [budget] = data.budgets
  return {
    key: data,
    spent: budget.spent_usd,
    unconfirmed: budget.unconfirmed_usd,
    remaining: budget.remaining_usd,
    data: budget,
  }
}

const metricsOf = async ({ service }: BilledService) => {
  const query = { metrics: ['unconfirmed_usd', 'upstream_inference_cost', 'charged_usd'] }
  return (await service.manage('POST', '/analytics/query', query)).body.data.data[0]
}

onEachDatabase('costs that arrive later', (kind) => {
  test('a later bill of the provider corrects charge, budgets and sums once', async () => {
    const bills: string[] = []
    const bill = { total_cost: 0.25, native_tokens_prompt: 10, native_tokens_completion: 25, is_byok: false }
    const billResponse = (path: string) => {
      bills.push(path)
      return bills.length < 2 ? { status: 404, body: {} } : { status: 200, body: { data: bill } }
    }
    await using billed = await startBilled({ kind, prices, behaviours: { cutting }, endpointProperties, billResponse })
    const { key, id } = await breakOff(billed)
    const before = await recordOf(billed, id)
    assert.ok(before.unconfirmed_usd > 0.5, `${before.unconfirmed_usd} unconfirmed`)
    assert.deepEqual(
      before.attempts.map(({ charged_usd, unconfirmed_usd }: any) => [charged_usd, unconfirmed_usd]),
      [[before.limit_cost, before.unconfirmed_usd]],
    )
    await until(async () => (await recordOf(billed, id)).unconfirmed_usd === 0)
    const { correction, ...after } = await recordOf(billed, id)
    assert.deepEqual([after.total_cost, after.limit_cost, after.tokens_completion], [0.25, 0.25, 25])
    assert.deepEqual([correction.source, correction.unconfirmed_usd], ['provider', before.unconfirmed_usd])
    assert.deepEqual(bills, ['/v1/generation?id=chatcmpl-up', '/v1/generation?id=chatcmpl-up'])
    const limit = await until(async () => {
      const read = await limitOf(billed, key)
      return read.data.held_usd === 0 && read
    })
    assert.deepEqual([limit.spent, limit.unconfirmed, limit.remaining], [0.25, 0, 99.75])
    assert.deepEqual([limit.key.usage, limit.key.unconfirmed_usd, limit.key.limit_spent], [0.25, 0, 0.25])
    assert.deepEqual(await metricsOf(billed), { unconfirmed_usd: 0, upstream_inference_cost: 0.25, charged_usd: 0.25 })
  })

  test('a restart continues the lookup, and corrects the charge, budgets and sums', async () => {
    let isKnown = false
    const billResponse = () =>
      isKnown ? { status: 200, body: { data: { total_cost: 0.25 } } } : { status: 404, body: {} }
    await using billed = await startBilled({ kind, prices, behaviours: { cutting }, endpointProperties, billResponse })
    const { key, id } = await breakOff(billed)
    const { limit_cost, total_cost } = await recordOf(billed, id)
    await billed.service.stop()
    isKnown = true
    await using service = await startTestService({ testStore: billed.service.testStore, settings: billed.settings })
    const next = { ...billed, service }
    await until(async () => (await recordOf(next, id)).unconfirmed_usd === 0)
    const limit = await until(async () => {
      const read = await limitOf(next, key)
      return read.data.held_usd === 0 && read
    })
    assert.ok(limit_cost > 0.5 && total_cost < 0.25, `${limit_cost} charged, ${total_cost} estimated`)
    assert.deepEqual([limit.spent, limit.unconfirmed, limit.remaining], [0.25, 0, 99.75])
    assert.deepEqual(await metricsOf(next), { unconfirmed_usd: 0, upstream_inference_cost: 0.25, charged_usd: 0.25 })
  })

  test('a bill above the bound is charged up to it, shown, and its endpoint marked', async () => {
    const billResponse = () => ({ status: 200, body: { data: { total_cost: 7 } } })
    await using billed = await startBilled({ kind, prices, behaviours: { cutting }, endpointProperties, billResponse })
    const { id } = await breakOff(billed)
    const before = await recordOf(billed, id)
    await until(async () => (await recordOf(billed, id)).unconfirmed_usd === 0)
    const after = await recordOf(billed, id)
    assert.deepEqual([after.total_cost, after.limit_cost], [before.limit_cost, before.limit_cost])
    assert.deepEqual([after.billed_more_than_bound, after.correction.billed_usd], [true, 7])
    const { data } = (await billed.service.ask('GET', '/models/billed/cutting/endpoints')).body
    const marks = data.endpoints.map(({ tag, billed_more_than_bound }: any) => [tag, billed_more_than_bound])
    assert.deepEqual(marks.toSorted(), [
      ['billing', 1],
      ['spare', undefined],
    ])
  })

  test('an admin releases the unconfirmed amount once, with an audit event', async () => {
    await using billed = await startBilled({ kind, prices, behaviours: { cutting } })
    const { service } = billed
    const { key, id } = await breakOff(billed)
    const { limit_cost, total_cost, unconfirmed_usd } = await recordOf(billed, id)
    const charged = await until(async () => {
      const read = await limitOf(billed, key)
      return read.data.held_usd === 0 && read.unconfirmed > 0 && read
    })
    assert.deepEqual([charged.spent + charged.unconfirmed, charged.remaining], [limit_cost, 100 - limit_cost])
    assert.equal((await service.ask('POST', `/generations/release?id=${id}`, { key })).status, 403)
    assert.equal((await service.manage('POST', '/generations/release')).status, 400)
    const release = async (query: string) => (await service.manage('POST', `/generations/release?${query}`)).body.data
    assert.deepEqual(await release(`id=${id}`), { requests: 1, released_usd: unconfirmed_usd })
    assert.deepEqual(await release(`id=${id}`), { requests: 0, released_usd: 0 })
    const limit = await limitOf(billed, key)
    assert.deepEqual([limit.spent, limit.unconfirmed, limit.remaining], [total_cost, 0, 100 - total_cost])
    const other = await breakOff(billed)
    await recordOf(billed, other.id)
    assert.equal((await release('provider=nobody')).requests, 0)
    assert.equal((await release('provider=billing')).requests, 1)
    const events = (await service.manage('GET', '/audit?action=generation.released')).body.data
    assert.deepEqual(
      events.map(({ before }: any) => before.requests),
      [[other.id], [id]],
    )
  })
})
