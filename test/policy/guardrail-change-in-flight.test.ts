import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, startBilled } from '../harness/service/billed-service.ts'
import { until } from '../harness/until.ts'

const prices = { prompt: 0, completion: 100 }

/** A provider that answers when the test lets it. */
const start = () => startBilled({ prices, behaviours: { one: () => {} } })

const request = {
  model: 'billed/one',
  messages: [{ role: 'user', content: 'A secret' }],
  max_tokens: 9000,
  provider: { order: ['billing', 'spare'] },
}

/** Changes the guardrail while the first endpoint is asked, which fails then. @returns how many endpoints were asked, and why others were not. */
async function changedBeforeTheNext(policy: object) {
  await using billed = await start()
  const { service, upstream } = billed
  const asking = ask(billed, service.apiKey, request)
  await until(() => upstream.requests.length === 1)
  const [{ default_guardrail_id: id }] = (await service.manage('GET', '/workspaces')).body.data
  assert.equal((await service.manage('PATCH', `/guardrails/${id}`, policy)).status, 200)
  upstream.requests[0]!.cut()
  await until(async () => upstream.requests.length > 1 || (await Promise.race([asking, false])))
  for (const sale of upstream.requests) sale.cut()
  const { status, headers } = await asking
  assert.equal(status, 502)
  const story = await until(async () => {
    const { status, body } = await service.ask('GET', `/generation?id=${headers.get('x-generation-id')}`)
    return status === 200 && body.data
  })
  const reasons = story.not_asked.map(({ standing, reason }: any) => `${standing} ${reason}`)
  return [upstream.requests.length, ...reasons]
}

const forbidden = [1, 'left_out guardrail']

test('an endpoint that was forbidden after planning is skipped, and recorded so', async () => {
  assert.deepEqual(await changedBeforeTheNext({ ignored_providers: ['spare'] }), forbidden)
  assert.deepEqual(await changedBeforeTheNext({ allowed_providers: ['billing'] }), forbidden)
})

test('a text that became blocked or redacted is not sent, an allowed one is', async () => {
  const filter = (pattern: string, action: string) => ({ content_filters: [{ pattern, action }] })
  assert.deepEqual(await changedBeforeTheNext(filter('secret', 'block')), forbidden)
  assert.deepEqual(await changedBeforeTheNext(filter('secret', 'redact')), forbidden)
  assert.deepEqual(await changedBeforeTheNext(filter('other', 'block')), [2])
})
