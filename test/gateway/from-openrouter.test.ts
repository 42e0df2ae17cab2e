import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { startTestService } from '../harness/service/service.ts'
import { untilMetered } from '../harness/service/world/generation-record.ts'

const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }

test('credits are the rest of a limit and the usage, for OpenRouter’s client too', async () => {
  await using service = await startTestService()
  const { key } = (await service.manage('POST', '/keys', { name: 'limited', limit: 5 })).body
  const { headers } = await service.ask('POST', '/chat/completions', { key, body })
  await untilMetered({ ask: (method, path) => service.ask(method, path, { key }) }, headers.get('x-generation-id'))
  assert.deepEqual((await service.ask('GET', '/credits', { key })).body, { data: { total_credits: 5, total_usage: 0 } })
  assert.equal((await service.ask('GET', '/credits')).body.data.total_credits, 1_000_000_000)
  assert.equal((await service.manage('GET', '/credits')).body.data.total_usage, 0)
  const client = new OpenRouter({ apiKey: key, serverURL: service.url })
  assert.deepEqual((await client.credits.getCredits()).data, { totalCredits: 5, totalUsage: 0 })
})

test('OpenRouter’s client without retries gets the error for the missing key at once', async () => {
  await using service = await startTestService()
  const client = new OpenRouter({ apiKey: service.apiKey, serverURL: service.url, retryConfig: { strategy: 'none' } })
  await assert.rejects(client.chat.send({ chatRequest: { ...body, model: 'anthropic/claude-sonnet-5' } as never }), {
    statusCode: 503,
    message: /^No provider of this model has a key\. Set ANTHROPIC_API_KEY \(for anthropic\)/,
  })
})

test('the calling key is returned at its older path too', async () => {
  await using service = await startTestService()
  const [old, current] = [await service.ask('GET', '/auth/key'), await service.ask('GET', '/key')]
  assert.deepEqual([old.status, old.body], [200, current.body])
})

const readable = [
  '/models',
  '/models/count',
  '/models/signalbox%2Fdemo',
  '/model/signalbox/demo',
  '/models/signalbox/demo/endpoints',
  '/providers',
]

test('models are public only if configured, and a wrong key is always refused', async () => {
  await using closed = await startTestService()
  await using open = await startTestService({ settings: { public_models: 'true' as never } })
  for (const path of readable) {
    assert.equal((await closed.ask('GET', path, { key: null })).status, 401, path)
    assert.equal((await open.ask('GET', path, { key: null })).status, 200, path)
    assert.equal((await open.ask('GET', path, { key: 'sb-v1-wrong' })).status, 401, path)
  }
  for (const path of ['/models/user', '/key', '/credits', '/activity', '/endpoints/zdr'])
    assert.equal((await open.ask('GET', path, { key: null })).status, 401, path)
  assert.equal((await open.ask('POST', '/chat/completions', { key: null, body })).status, 401)
})
