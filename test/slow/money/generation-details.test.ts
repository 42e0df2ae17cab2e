import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { onOneDatabase } from '../../harness/database/databases.ts'
import { startFaultyService } from '../../harness/service/faulty-service.ts'
import type { TestService } from '../../harness/service/service.ts'
import { until } from '../../harness/until.ts'
import { validResponses } from '../../harness/upstream/faulty/faults.ts'
import { type FaultyRequest, startFaultyUpstream } from '../../harness/upstream/faulty/faulty-upstream.ts'

const slowMs = 120
const plays = {
  ok: validResponses.ok!,
  slow: (taken: FaultyRequest) => void sleep(slowMs).then(() => validResponses.ok!(taken)),
  broken: ({ socket }: FaultyRequest) => socket.resetAndDestroy(),
}

async function generationOf(service: TestService, model: string, more: object = {}) {
  const body = { model, messages: [{ role: 'user', content: 'Hi' }], ...more }
  const id = (await service.ask('POST', '/chat/completions', { body })).headers.get('x-generation-id')
  return until(async () => {
    const { status, body } = await service.ask('GET', `/generation?id=${id}`)
    return status === 200 && body.data
  })
}
const first = { provider: { order: ['sound'] } }
const reasons = ({ not_asked }: { not_asked: any[] }) =>
  not_asked.map(({ endpoint_id, standing, reason }) => `${endpoint_id} ${standing} ${reason}`)

onOneDatabase('GET /generation of a request that was answered', (kind) => {
  test('lists skipped endpoints with the reason', async () => {
    await using upstream = await startFaultyUpstream(plays)
    await using service = await startFaultyService(upstream, ['slow'], { kind })
    assert.deepEqual(reasons(await generationOf(service, 'backed/slow', first)), [
      'backed/slow@faulty behind not_reached',
    ])
    const ignoring = { provider: { ignore: ['faulty'] } }
    assert.deepEqual(reasons(await generationOf(service, 'backed/slow', ignoring)), [
      'backed/slow@faulty left_out provider_ignored',
    ])
    const alone = { provider: { allow_fallbacks: false } }
    const [only] = reasons(await generationOf(service, 'backed/slow', alone))
    assert.match(only!, /^backed\/slow@\w+ left_out no_fallbacks$/)
    assert.deepEqual(reasons(await generationOf(service, 'faulty/slow')), [])
    const { data } = (await service.manage('GET', '/workspaces')).body
    await service.manage('PATCH', `/guardrails/${data[0].default_guardrail_id}`, { ignored_providers: ['faulty'] })
    assert.deepEqual(reasons(await generationOf(service, 'backed/slow')), ['backed/slow@faulty left_out guardrail'])
  })

  test('lists endpoints ranked lower for failures or an open circuit', async () => {
    await using upstream = await startFaultyUpstream(plays)
    await using service = await startFaultyService(upstream, ['broken'], { kind })
    const order = { provider: { order: ['faulty', 'sound'] } }
    const fallen = await generationOf(service, 'backed/broken', order)
    assert.deepEqual([fallen.attempts.length, reasons(fallen)], [2, []])
    assert.deepEqual(reasons(await generationOf(service, 'backed/broken')), ['backed/broken@faulty behind troubled'])
    for (let n = 0; n < 12; n++) await generationOf(service, 'backed/broken', order)
    assert.deepEqual(reasons(await generationOf(service, 'backed/broken')), [
      'backed/broken@faulty behind circuit_shut',
    ])
  })

  test('returns the criterion of the order, and none for one endpoint', async () => {
    await using upstream = await startFaultyUpstream(plays)
    await using service = await startFaultyService(upstream, ['slow'], { kind })
    const orderOf = async (model: string, provider: object) =>
      (await generationOf(service, model, { provider })).ordered_by
    assert.equal(await orderOf('backed/slow', {}), 'draw')
    assert.equal(await orderOf('backed/slow', { order: ['sound'], sort: 'price' }), 'order')
    assert.equal(await orderOf('backed/slow', { sort: 'throughput' }), 'throughput')
    assert.equal(await orderOf('backed/slow:floor', {}), 'price')
    assert.equal(await orderOf('backed/slow', { only: ['sound'] }), null)
    assert.equal(await orderOf('faulty/slow', {}), null)
  })

  test('returns the charged prices, and none without a response', async () => {
    await using upstream = await startFaultyUpstream(plays)
    await using service = await startFaultyService(upstream, ['slow', 'broken'], { kind })
    const { charged_prices, tokens_prompt, tokens_completion, total_cost } = await generationOf(service, 'faulty/slow')
    assert.deepEqual(charged_prices, { prompt: 1e-6, completion: 1e-5 })
    const sum = tokens_prompt * charged_prices.prompt + tokens_completion * charged_prices.completion
    assert.ok(total_cost > 0 && Math.abs(sum - total_cost) < 1e-15, `${sum} ${total_cost}`)
    assert.equal((await generationOf(service, 'faulty/broken')).charged_prices, null)
  })

  test('returns for each attempt the times of connection and first byte', async () => {
    await using upstream = await startFaultyUpstream(plays)
    await using service = await startFaultyService(upstream, ['slow'], { kind })
    for (const stream of [false, true]) {
      const [attempt] = (await generationOf(service, 'faulty/slow', { stream })).attempts
      assert.ok(attempt.connect >= 0 && attempt.connect < attempt.first_byte, JSON.stringify(attempt))
      assert.ok(attempt.first_byte >= slowMs - 2 && attempt.first_byte <= attempt.duration + 1, JSON.stringify(attempt))
    }
    const [refused] = (await generationOf(service, 'faulty/refused')).attempts
    assert.deepEqual([refused.connect, refused.first_byte], [null, null])
  })
})
