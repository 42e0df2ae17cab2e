import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import { startTestService } from '#test/harness/service/service.ts'

test('every error has one envelope, the request id and its own status as the code', async () => {
  await using service = await startTestService()
  const unknown = await service.ask('GET', '/nothing-here')
  assert.equal(unknown.status, 404)
  assert.deepEqual(unknown.body, { error: { code: 404, message: 'There is no GET /api/v1/nothing-here.' } })
  assert.match(unknown.headers.get('x-request-id') ?? '', /^[\w-]{36}$/)
})

test('the error for a path without the prefix names the prefix', async () => {
  await using service = await startTestService()
  const { origin } = new URL(service.url)
  const response = await fetch(`${origin}/completions`, { method: 'POST' })
  const { message } = ((await response.json()) as { error: { message: string } }).error
  assert.equal(message, 'There is no POST /completions. Every path begins with /api/v1/, such as /api/v1/models.')
})

test('an origin without a path is a base URL for completions and models', async () => {
  await using service = await startTestService()
  const { origin } = new URL(service.url)
  const client = new OpenAI({ baseURL: origin, apiKey: service.apiKey, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  assert.ok((await client.chat.completions.create({ model: 'signalbox/demo', messages })).choices[0])
  assert.ok((await client.models.list()).data.some(({ id }) => id === 'signalbox/demo'))
  for (const name of ['signalbox/demo', 'signalbox/demo:nitro'])
    assert.equal((await client.models.retrieve(name)).id, 'signalbox/demo')
  assert.equal((await fetch(`${origin}/chat/completions`, { method: 'POST' })).status, 401)
  assert.equal((await fetch(`${origin}/audit`, { headers: { authorization: `Bearer ${service.apiKey}` } })).status, 404)
})

test('/v1 answers like /api/v1, behind the same locks', async () => {
  await using service = await startTestService()
  const { origin } = new URL(service.url)
  const authorization = `Bearer ${service.apiKey}`
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(origin + path, { headers })).status
  assert.equal(await ask('/v1/models', { authorization }), 200)
  assert.equal(await ask('/v1/models?limit=1', { authorization }), 200)
  assert.equal(await ask('/v1/models'), 401)
  assert.equal(await ask('/v1/audit', { authorization }), 403)
  assert.equal(await ask('/v1/interns'), await ask('/api/v1/interns'))
  assert.equal(await ask('/v1'), 404)
  assert.equal(await ask('/v1/v1/models', { authorization }), 200)
  assert.equal(await ask('/v1/v1/models'), 401)
})

test('a wrong method is refused and the right ones are named', async () => {
  await using service = await startTestService()
  const { status, headers } = await service.ask('POST', '/health')
  assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD'])
})

test('no key, a malformed key and an unknown key are all 401', async () => {
  await using service = await startTestService()
  for (const key of [null, 'nonsense', `sb-v1-${'0'.repeat(64)}`]) {
    assert.equal((await service.ask('GET', '/audit', { key })).status, 401)
  }
})

test('an ordinary key on a management route is refused', async () => {
  await using service = await startTestService()
  const { status, body } = await service.ask('GET', '/audit')
  assert.equal(status, 403)
  assert.equal(body.error.message, 'Only management keys can perform this operation')
})

test('the error for an unsupported operation lists the supported ones', async () => {
  await using service = await startTestService()
  const { status, body } = await service.ask('POST', '/audio/speech', { body: { model: 'm', input: 'Hi' } })
  assert.equal(status, 404)
  assert.match(
    body.error.message,
    /^There is no POST \/api\/v1\/audio\/speech\. This service does not generate speech: .*\/responses/,
  )
  assert.match((await service.ask('GET', '/constructor')).body.error.message, /constructor\.$/)
})

test('health is answered without a query: liveness, readiness and a report', async () => {
  await using service = await startTestService()
  for (const [path, status] of [
    ['/health', 'ready'],
    ['/health/ready', 'ready'],
    ['/health/live', 'live'],
    ['/health/report', 'ready'],
  ] as const) {
    const { status: code, body } = await service.ask('GET', path)
    assert.deepEqual([code, body.status], [200, status], path)
  }
  const { body } = await service.ask('GET', '/health/report')
  assert.deepEqual(Object.keys(body.checks), ['process', 'database', 'ledger', 'catalogue'])
})

test('GET /openapi.json and GET /docs, with an earlier ETag, return 304', async () => {
  await using service = await startTestService()
  for (const path of ['/openapi.json', '/docs']) {
    const first = await service.ask('GET', path)
    const second = await service.ask('GET', path, { headers: { 'if-none-match': first.headers.get('etag')! } })
    assert.deepEqual([first.status, second.status, second.text], [200, 304, ''], path)
  }
})

test('the header x-api-key carries a key for operations of the messages protocol only', async () => {
  await using service = await startTestService()
  const status = async (method: string, path: string, more: Record<string, string> = {}, key = service.apiKey) =>
    (
      await service.ask(method, path, {
        key: null,
        headers: { 'x-api-key': key, ...more },
        ...(method !== 'GET' && { body: {} }),
      })
    ).status
  const version = { 'anthropic-version': '2023-06-01' }
  for (const path of ['/messages', '/messages/count_tokens']) assert.equal(await status('POST', path), 400, path)
  assert.deepEqual([await status('GET', '/models', version), await status('GET', '/models')], [200, 401])
  assert.equal(await status('GET', '/models/signalbox/demo/endpoints'), 401)
  assert.equal(await status('POST', '/chat/completions'), 401)
  assert.equal(
    await status('POST', '/interns/ada/chat/completions'),
    await status('POST', '/interns/ada/chat/completions', {}, 'none'),
  )
  assert.equal(await status('PATCH', '/guardrails/none', {}, service.managementKey), 401)
  assert.equal(await status('POST', '/presets/p/responses', version, service.managementKey), 401)
})

test('errors of the messages protocol are returned only by operations of that protocol', async () => {
  await using service = await startTestService()
  const errorOf = async (method: string, path: string, key: string | null) => {
    const headers = { 'anthropic-version': '2023-06-01' }
    return (await service.ask(method, path, { key, headers, ...(method !== 'GET' && { body: {} }) })).body
  }
  for (const [method, path] of [
    ['POST', '/presets/p/responses'],
    ['PATCH', '/guardrails/none'],
    ['GET', '/keys'],
    ['POST', '/chat/completions'],
  ] as const)
    assert.equal((await errorOf(method, path, null)).error.code, 401, path)
  for (const path of ['/models', '/nothing']) {
    const { type, error } = await errorOf('GET', path, null)
    assert.deepEqual([type, typeof error.type], ['error', 'string'], path)
  }
})
