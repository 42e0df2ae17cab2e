import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { onEachDatabase } from '../harness/database/databases.ts'
import { startWithModels } from '../harness/records/model-catalogue.ts'
import type { TestService } from '../harness/service/service.ts'
import { until } from '../harness/until.ts'
import {
  type BilledRequest,
  type BillingUpstream,
  startBillingUpstream,
} from '../harness/upstream/faulty/billing-upstream.ts'

/** In USD per million tokens: a token costs one cent. */
const prices = { prompt: 10_000, completion: 0 }

/** Bills one token for each character. */
function sell(sale: BilledRequest): void {
  const input: string[] = sale.body.input
  sale.prompt = input.reduce((sum, text) => sum + text.length, 0)
  const data = input.map((_, index) => ({ object: 'embedding', index, embedding: [1] }))
  sale.end(JSON.stringify({ object: 'list', data, usage: sale.usage() }))
}

const behaviours = {
  plain: sell,
  slow: async (sale: BilledRequest) => {
    await sleep(300)
    sell(sale)
  },
  cut: async (sale: BilledRequest) => {
    sale.prompt = 5
    sale.write('{"object":"list","data":[')
    await sleep(20)
    sale.cut()
  },
}

onEachDatabase('money of embeddings', (kind) => {
  let upstream: BillingUpstream
  let service: TestService
  let workspace: string
  let guardrail: string
  before(async () => {
    upstream = await startBillingUpstream(behaviours)
    const model = (name: string, others: string[] = []) => ({
      output_modalities: ['embeddings'],
      context_length: 20,
      endpoints: Object.fromEntries(['billing', ...others].map((tag) => [tag, { model: name, prices }])),
    })
    const provider = (name: string) => ({ name, protocol: 'openai-chat', base_url: upstream.url })
    service = await startWithModels(
      { 'e/plain': model('plain'), 'e/slow': model('slow'), 'e/cut': model('cut') },
      { kind },
      { billing: provider('Billing') },
    )
    const [first] = (await service.manage('GET', '/workspaces')).body.data
    workspace = first.id
    guardrail = `/guardrails/${first.default_guardrail_id}`
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  const keyWith = async (limit?: number) => (await service.manage('POST', '/keys', { name: 'k', limit })).body.key
  const usageOf = async (key: string) => (await service.ask('GET', '/key', { key })).body.data.usage
  const ask = (key: string, name: string, input: string[], more: object = {}) =>
    service.ask('POST', '/embeddings', { key, body: { model: `e/${name}`, input, ...more } })

  /** Together longer than one context. */
  const inputs = ['1234567890', '2345678901', '3456789012']

  /** Sends many requests of 30 cents at once. @returns what the provider billed for those that were answered. */
  async function flood(key: string, more: object = {}): Promise<number> {
    const before = upstream.billedUsd(prices)
    for (let round = 0; round < 6; round++) {
      const responses = await Promise.all(Array.from({ length: 10 }, () => ask(key, 'plain', inputs, more)))
      for (const { status, text } of responses) assert.ok([200, 403, 429].includes(status), text)
    }
    return upstream.billedUsd(prices) - before
  }

  /** One dollar more than all tests have spent. */
  const moreThanBilled = () => upstream.billedUsd(prices) + 1

  /** Each leaves USD 1 to spend, and returns how the limit is removed. */
  const limits: Record<string, () => Promise<{ key?: string; more?: object; end?: () => Promise<unknown> }>> = {
    key: async () => ({ key: await keyWith(1) }),
    guardrail: async () => {
      await service.manage('PATCH', guardrail, { limit_usd: moreThanBilled() })
      return { end: () => service.manage('PATCH', guardrail, { limit_usd: null }) }
    },
    session: async () => {
      await service.manage('PATCH', guardrail, { group_limits: [{ by: 'session', limit_usd: 1 }] })
      return { more: { session_id: 's' }, end: () => service.manage('PATCH', guardrail, { group_limits: null }) }
    },
    tag: async () => {
      await service.manage('PATCH', guardrail, { group_limits: [{ by: 'tag', tag_name: 'team', limit_usd: 1 }] })
      const end = () => service.manage('PATCH', guardrail, { group_limits: null })
      return { more: { metadata: { team: 'a' } }, end }
    },
    workspace: async () => {
      const path = `/workspaces/${workspace}/budgets/lifetime`
      await service.manage('PUT', path, { limit_usd: moreThanBilled() })
      return { end: () => service.manage('DELETE', path) }
    },
  }

  for (const [name, set] of Object.entries(limits))
    test(`concurrent requests never exceed the limit of a ${name}, and use most of it`, async () => {
      const { key = await keyWith(), more, end } = await set()
      const billed = await flood(key, more)
      await end?.()
      assert.ok(billed <= 1 + 1e-9 && billed >= 0.5, `USD ${billed} were billed`)
    })

  test('a client that leaves is charged what the provider bills', async () => {
    const key = await keyWith(5)
    const controller = new AbortController()
    const sold = upstream.requests.length
    const sending = fetch(`${service.url}/embeddings`, {
      method: 'POST',
      signal: controller.signal,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'e/slow', input: ['1234567'] }),
    })
    await until(async () => upstream.requests.length > sold || undefined)
    controller.abort()
    await assert.rejects(sending)
    assert.equal(await until(async () => (await usageOf(key)) || undefined), 0.07)
  })

  test('an interrupted response is 502, and is charged no less than the possible bill', async () => {
    const key = await keyWith(5)
    const { status, body } = await ask(key, 'cut', ['12345'])
    assert.deepEqual([status, body.error.metadata.provider_name], [502, 'billing'])
    const charged = await until(async () => 5 - (await service.ask('GET', '/key', { key })).body.data.limit_remaining)
    assert.ok(charged >= 0.05 && charged <= 0.2 + 1e-9, `USD ${charged} were charged`)
  })
})
