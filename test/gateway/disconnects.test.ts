import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, leaveAfter, leaveAt, startBilled } from '../harness/service/billed-service.ts'
import { startTestService } from '../harness/service/service.ts'
import { until } from '../harness/until.ts'
import { type BillingBehaviour, usageOf } from '../harness/upstream/faulty/billing-upstream.ts'
import { deltaEvent, doneEvent, roleDelta } from '../harness/upstream/faulty/faulty-upstream.ts'

/** 100 tokens of a response cost 1 USD. */
const prices = { prompt: 1, completion: 10_000 }

/** Generates 20 tokens in a second and reports them. `max_tokens` limits them. */
const steady =
  (stops: boolean): BillingBehaviour =>
  async (sale) => {
    sale.prompt = 10
    sale.write(roleDelta)
    for (let count = 0; count < Math.min(20, sale.body.max_tokens); count++) {
      if (stops && sale.hasDisconnected()) return sale.end()
      sale.completion++
      sale.write(deltaEvent({ content: 'word ' }))
      await sleep(50)
    }
    if (sale.body.stream) return sale.end(deltaEvent({}, 'stop') + usageOf(sale) + doneEvent)
    const choices = [{ index: 0, message: { role: 'assistant', content: 'words' }, finish_reason: 'stop' }]
    sale.end(JSON.stringify({ id: 'x', choices, usage: sale.usage() }))
  }

/** Generates as long as the test runs. */
const endless: BillingBehaviour = async (sale) => {
  sale.write(roleDelta)
  while (!sale.hasDisconnected()) {
    sale.completion++
    sale.write(deltaEvent({ content: 'word ' }))
    await sleep(50)
  }
}

const body = (name: string, more: object = {}) => ({
  model: `billed/${name}`,
  messages: [{ role: 'user', content: 'Hi' }],
  max_tokens: 5000,
  stream: true,
  provider: { only: ['billing'] },
  ...more,
})
const words = (text: string) => text.split('word ').length > 3

test('a disconnect at a provider that continues is charged the reported usage', async () => {
  await using billed = await startBilled({ prices, behaviours: { steady: steady(false) } })
  const key = await billed.keyWith(200)
  await leaveAt(billed, key, body('steady'), words)
  const charged = await until(async () => 200 - (await billed.left(key)) || undefined)
  assert.ok(Math.abs(charged - billed.billed()) < 1e-9, `${charged} charged, ${billed.billed()} billed`)
})

test('a disconnect from a whole response is charged the reported usage', async () => {
  await using billed = await startBilled({ prices, behaviours: { brief: wholeAfter(300) } })
  const key = await billed.keyWith(200)
  await leaveAfter(billed, key, body('brief', { stream: false }), 20)
  const charged = await until(async () => 200 - (await billed.left(key)) || undefined)
  assert.ok(Math.abs(charged - billed.billed()) < 1e-9, `${charged} charged, ${billed.billed()} billed`)
})

test('a disconnect at a provider that stops is charged the time that it had', async () => {
  const endpointProperties = {
    steady: { supported_parameters: ['reasoning'], compatibility: { stops_on_disconnect: true } },
  }
  await using billed = await startBilled({ prices, behaviours: { steady: steady(true) }, endpointProperties })
  const { service, upstream } = billed
  const key = await billed.keyWith(200)
  for (let count = 0; count < 5; count++) await ask(billed, service.apiKey, body('steady', { max_tokens: 10 }))
  const path = '/models/billed/steady/endpoints'
  await until(async () => (await service.ask('GET', path)).body.data.endpoints[0].throughput_last_30m)
  const before = billed.billed()
  await leaveAt(billed, key, body('steady'), words)
  await upstream.waitUntilIdle()
  const billedForIt = billed.billed() - before
  const charged = await until(async () => 200 - (await billed.left(key)) || undefined)
  assert.ok(charged >= billedForIt && charged < 1, `${charged} charged, ${billedForIt} billed`)
})

test('a disconnect from a response without an end is charged the bound', async () => {
  const endpointProperties = { endless: { supported_parameters: ['reasoning'] } }
  const settings = { drain_after_disconnect_ms: 100 }
  await using billed = await startBilled({ prices, behaviours: { endless }, endpointProperties, settings })
  const key = await billed.keyWith(200)
  await leaveAt(billed, key, body('endless'), words)
  await billed.upstream.waitUntilIdle()
  const charged = await until(async () => 200 - (await billed.left(key)) || undefined)
  assert.ok(charged >= 50 && charged < 51, `${charged}`)
})

test('the record of a stream whose key is disabled has this reason, and its bound', async () => {
  await using billed = await startBilled({ prices, behaviours: { endless } })
  const { service } = billed
  const { body: created } = await service.manage('POST', '/keys', { name: 'limited', limit: 200 })
  const response = await fetch(`${service.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${created.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body('endless')),
  })
  const text = response.text()
  await until(() => billed.billed() > 0.05)
  await service.manage('PATCH', `/keys/${created.data.hash}`, { disabled: true })
  assert.match(await text, /The key of this request was disabled/)
  const [stored] = await until(async () => {
    const { data } = (await service.manage('GET', `/generations?key_hash=${created.data.hash}`)).body
    return data.length > 0 ? data : undefined
  })
  assert.deepEqual([stored.error.kind, stored.outcome], ['unauthenticated', 'client_left'])
  assert.ok(stored.limit_cost >= billed.billed(), `${stored.limit_cost} charged, ${billed.billed()} billed`)
})

test('a server that stops meters the responses that it reads after a disconnect', async () => {
  await using billed = await startBilled({ prices, behaviours: { endless } })
  const { service } = billed
  const key = await billed.keyWith(200)
  await leaveAt(billed, key, body('endless'), words)
  await service.stop()
  await using next = await startTestService({ testStore: service.testStore })
  const { data } = (await next.ask('GET', '/key', { key })).body
  assert.ok(data.limit_remaining < 200, `${data.limit_remaining} of 200 are left`)
})

/** Answers as a whole after a time, whether or not its client waits. */
function wholeAfter(ms: number): BillingBehaviour {
  return async (sale) => {
    sale.prompt = 10
    sale.completion = 20
    await sleep(ms)
    const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
    sale.end(JSON.stringify({ id: 'x', choices, usage: sale.usage() }))
  }
}
