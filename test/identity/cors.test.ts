import assert from 'node:assert/strict'
import { request } from 'node:http'
import { describe, test } from 'node:test'
import { startTestService } from '../harness/service/service.ts'

const origin = 'https://app.example.com'
const chat = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hello' }] }
const start = (...origins: string[]) => startTestService({ settings: { cors_origins: origins } })
const preflight = {
  key: null,
  headers: {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization, content-type, x-stainless-os',
  },
}

describe('a page of another origin', () => {
  test('is refused without the setting', async () => {
    await using service = await startTestService()
    const response = await service.ask('OPTIONS', '/chat/completions', preflight)
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST'])
    const reply = await service.ask('GET', '/models', { headers: { origin } })
    assert.deepEqual([reply.status, reply.headers.get('access-control-allow-origin')], [200, null])
  })

  test('gets an answer to the preflight request without a key, also for interns', async () => {
    await using service = await start(origin)
    for (const [path, allow] of [
      ['/chat/completions', 'POST'],
      ['/models', 'GET, HEAD'],
      ['/interns', 'GET, HEAD, POST'],
    ] as const) {
      const { status, headers, text } = await service.ask('OPTIONS', path, preflight)
      assert.deepEqual([status, text, headers.get('access-control-allow-methods')], [204, '', allow])
      assert.equal(headers.get('access-control-allow-origin'), origin)
      assert.equal(headers.get('access-control-allow-headers'), 'authorization, content-type, x-stainless-os')
    }
    assert.equal((await service.ask('OPTIONS', '/no-such-path', preflight)).status, 404)
  })

  test('can read answers, streams and refusals, with the ids in their headers', async () => {
    await using service = await start(origin)
    const asks = [
      service.ask('POST', '/chat/completions', { body: chat, headers: { origin } }),
      service.ask('POST', '/chat/completions', { body: { ...chat, stream: true }, headers: { origin } }),
      service.ask('POST', '/chat/completions', { body: {}, headers: { origin } }),
      service.ask('GET', '/models', { key: null, headers: { origin } }),
      service.ask('GET', '/nowhere', { headers: { origin } }),
    ]
    const responses = await Promise.all(asks)
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 400, 401, 404],
    )
    for (const { headers } of responses) {
      assert.equal(headers.get('access-control-allow-origin'), origin)
      assert.match(headers.get('access-control-expose-headers') ?? '', /x-generation-id/)
      assert.match(headers.get('vary') ?? '', /origin/)
    }
  })

  test('is allowed by name only, unless all are allowed', async () => {
    await using service = await start(origin)
    const stranger = { ...preflight, headers: { ...preflight.headers, origin: 'https://evil.example' } }
    const response = await service.ask('OPTIONS', '/chat/completions', stranger)
    assert.deepEqual([response.status, response.headers.get('access-control-allow-origin')], [204, null])
    const reply = await service.ask('GET', '/models', { headers: { origin: 'https://evil.example' } })
    assert.equal(reply.headers.get('access-control-allow-origin'), null)
    assert.match(reply.headers.get('vary') ?? '', /accept-encoding, origin/)
    await using open = await start('*')
    const list = await open.ask('GET', '/models', { headers: { origin: 'https://evil.example' } })
    assert.deepEqual([list.status, list.headers.get('access-control-allow-origin')], [200, '*'])
  })
})

test('TRACE and QUERY are refused as every method is that a path does not take', async () => {
  await using service = await startTestService()
  for (const method of ['QUERY', 'PUT']) {
    const { status, headers } = await service.ask(method, '/chat/completions')
    assert.deepEqual([status, headers.get('allow')], [405, 'POST'])
  }
  const status = await new Promise((resolve) => {
    request(`${service.url}/chat/completions`, { method: 'TRACE' }, (response) =>
      resolve(response.resume().statusCode),
    ).end()
  })
  assert.equal(status, 405)
})
