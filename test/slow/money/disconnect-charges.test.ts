import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { onEachDatabase } from '../../harness/database/databases.ts'
import { ask, type BilledService, leaveAfter, leaveAt, startBilled } from '../../harness/service/billed-service.ts'
import { until } from '../../harness/until.ts'
import { brooder, paced, speaker, thinker } from '../../harness/upstream/faulty/billing-upstream.ts'

/** 9,000 tokens of a response cost 0.90 USD. */
const prices = { prompt: 1, completion: 100 }
const behaviours = { thinker, speaker, brooder }
const messages = [{ role: 'user', content: 'Hi' }]
const asking = (name: string, more: object = {}) => ({
  model: `billed/${name}`,
  messages,
  max_tokens: 9000,
  stream: true,
  provider: { only: ['billing'] },
  ...more,
})

const finished = (text: string) => text.includes('"finish_reason":"stop"') || text.includes('"error"')
const letters = (text: string) => text.split('"content":"a"').length > 40

/** Waits until the requests are metered. */
async function metered({ service, upstream }: BilledService, count: number): Promise<any[]> {
  await upstream.waitUntilIdle()
  for (let tries = 0; ; tries++) {
    const { data } = (await service.manage('GET', '/activity')).body
    const requests = data.reduce((sum: number, row: any) => sum + row.requests, 0)
    if (requests >= count || tries === 3600) return data
    await sleep(50)
  }
}

/** The amount that a limit was charged. A server reports it soon after the ledger has it. */
const chargedOf = (billed: BilledService, key: string, limit: number) =>
  until(async () => limit - (await billed.left(key)) || undefined)

onEachDatabase('disconnects', (kind) => {
  test('after the end of a response are charged what the provider counted', async () => {
    await using billed = await startBilled({ kind, prices, behaviours })
    const key = await billed.keyWith(1)
    let taken = 0
    for (let requestCount = 0; requestCount < 40; requestCount++) {
      const status = await leaveAt(billed, key, asking('thinker'), finished)
      if (status === 200) taken++
      // The next request starts after the settlement of the last one, so that only its own cost can refuse it.
      await billed.upstream.waitUntilIdle()
    }
    await metered(billed, taken)
    assert.equal(taken, 1)
    assert.ok(billed.billed() <= 1, `${billed.billed()} USD were billed`)
    assert.ok(Math.abs((await chargedOf(billed, key, 1)) - billed.billed()) < 1e-9)
  })

  for (const { tokens, limit, least } of [
    { tokens: 9000, limit: 1, least: 0.9 },
    { tokens: 90, limit: 2, least: 1.8 },
  ]) {
    test(`after the end, 300 times ${tokens} tokens, never exceed the limit`, async () => {
      await using billed = await startBilled({ kind, prices, behaviours })
      const key = await billed.keyWith(limit)
      let remaining = 300
      const leaver = async () => {
        while (remaining-- > 0) await leaveAt(billed, key, asking('thinker', { max_tokens: tokens }), finished)
      }
      await Promise.all(Array.from({ length: 8 }, leaver))
      await billed.upstream.waitUntilIdle()
      assert.ok(billed.billed() >= least && billed.billed() <= limit, `${billed.billed()} USD were billed`)
    })
  }

  test('a whole request is charged its highest possible cost', async () => {
    await using billed = await startBilled({ kind, prices, behaviours })
    const key = await billed.keyWith(2)
    for (let requestCount = 0; requestCount < 20; requestCount++)
      await leaveAfter(billed, key, asking('brooder', { stream: false }), 250)
    await billed.upstream.waitUntilIdle()
    assert.ok(billed.billed() > 0.8 && billed.billed() <= 2, `${billed.billed()} USD were billed`)
  })

  test('in the middle of a response are charged every byte, also in transit', async () => {
    const endpointProperties = { speaker: { compatibility: { stops_on_disconnect: true } } }
    await using billed = await startBilled({ kind, prices, behaviours, endpointProperties })
    const key = await billed.keyWith(2)
    await leaveAt(billed, key, asking('speaker'), letters)
    await metered(billed, 1)
    const charged = await chargedOf(billed, key, 2)
    assert.ok(billed.billed() < 0.5, 'the upstream was ended')
    assert.ok(charged >= billed.billed(), `${charged} charged, ${billed.billed()} billed`)
    assert.ok(charged < billed.billed() + 0.06, `${charged} charged, ${billed.billed()} billed`)
  })

  test('in the middle of a reasoning response are charged the reservation', async () => {
    const endpointProperties = { speaker: { supported_parameters: ['reasoning'] } }
    const settings = { drain_after_disconnect_ms: 0 }
    await using billed = await startBilled({ kind, prices, behaviours, endpointProperties, settings })
    const key = await billed.keyWith(2)
    await leaveAt(billed, key, asking('speaker'), letters)
    const [row] = await metered(billed, 1)
    const charged = await chargedOf(billed, key, 2)
    assert.ok(charged >= 0.9 && charged < 0.902, `${charged}`)
    // People see the estimate.
    assert.ok(row.usage < 0.1, `${row.usage}`)
  })

  test('without a count has the estimated cost in reports and the reservation in limits', async () => {
    const settings = { drain_after_disconnect_ms: 0 }
    await using billed = await startBilled({ kind, prices, behaviours, settings })
    const key = await billed.keyWith(2)
    await leaveAfter(billed, key, asking('brooder', { stream: false }), 250)
    await metered(billed, 1)
    const charged = await chargedOf(billed, key, 2)
    const [row] = (await billed.service.manage('GET', '/activity')).body.data
    assert.ok(row.usage < 0.001 && charged >= 0.9, `${row.usage} ${charged}`)
  })
})

for (const reports of [true, false]) {
  const title = reports ? 'reports usage' : 'never reports usage'
  test(`a reasoning model that stops and ${title} is never billed more than the limit`, async () => {
    const compatibility = { stops_on_disconnect: true }
    const endpointProperties = { paced: { supported_parameters: ['reasoning'], compatibility } }
    const settings = { drain_after_disconnect_ms: 500 }
    await using billed = await startBilled({
      prices,
      behaviours: { paced: paced(reports) },
      endpointProperties,
      settings,
    })
    const { service, upstream } = billed
    const path = '/models/billed/paced/endpoints'
    // Long enough for a measured speed on a busy machine, too: without five, charges have no limit by time.
    const warmUp = () => ask(billed, service.apiKey, asking('paced', { max_tokens: 800 }))
    await Promise.all(Array.from({ length: 6 }, warmUp))
    await until(async () => (await service.ask('GET', path)).body.data.endpoints[0].latency_last_30m)
    const before = billed.billed()
    const key = await billed.keyWith(2)
    let remaining = 60
    const leaver = async () => {
      while (remaining-- > 0) await leaveAfter(billed, key, asking('paced'), 20 * (remaining % 30))
    }
    await Promise.all([leaver(), leaver()])
    await upstream.waitUntilIdle()
    const sum = billed.billed() - before
    const charged = await chargedOf(billed, key, 2)
    assert.ok(sum <= charged && charged <= 2, `${sum} USD were billed, ${charged} charged`)
    // 20 % and 250 ms of each request, which is 0.012 USD, and as much for a loaded machine.
    if (reports)
      assert.ok(charged < 1.3 * sum + 0.024 * (upstream.requests.length - 6), `${sum} billed, ${charged} charged`)
  })
}
