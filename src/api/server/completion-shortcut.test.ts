import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { type Reply, startTestService, type TestService } from '#test/harness/service/service.ts'
import { completionShortcut } from './completion-shortcut.ts'

const key = `sb-v1-${'b'.repeat(64)}`
const plain = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': '20' }

/** Whether a request with this head, beside what is plain, takes the shortcut. */
function isTaken(headers: object, { method = 'POST', url = '/api/v1/chat/completions', keyKind = 'api' } = {}) {
  const deps = {
    config: { cors_origins: [], max_body_bytes: 1000, dialect: 'spec' },
    keys: { known: (secret: string) => (secret === key ? { keyKind } : undefined) },
  }
  const shortcut = completionShortcut({
    ...{ deps, underWay: { began() {}, count: () => 0 }, hostOf: () => undefined },
    ...{ readJson: JSON.parse, checkResponses: false },
  } as unknown as Parameters<typeof completionShortcut>[0])
  const request = { method, url, headers: { ...plain, ...headers }, on() {} }
  return shortcut(request as unknown as IncomingMessage, { on() {} } as unknown as ServerResponse)
}

describe('the shortcut of completions', () => {
  test('is taken by plain requests of every client protocol, by either prefix', () => {
    assert.equal(isTaken({}), true)
    assert.equal(isTaken({ 'content-type': 'application/json; charset=utf-8' }), true)
    for (const url of ['/v1/chat/completions', '/api/v1/messages', '/api/v1/responses'])
      assert.equal(isTaken({}, { url }), true, url)
    assert.equal(isTaken({ authorization: undefined, 'x-api-key': key }, { url: '/v1/messages' }), true)
  })

  test('is left by whatever the framework may treat otherwise', () => {
    for (const headers of [
      ...[{ 'content-length': undefined }, { 'content-length': '0' }, { 'content-length': '1001' }],
      ...[{ 'content-type': 'text/plain' }, { 'content-type': undefined }, { 'content-encoding': 'gzip' }],
      ...[{ 'transfer-encoding': 'chunked' }, { origin: 'https://a.example' }, { authorization: 'Bearer x' }],
      { authorization: undefined },
    ])
      assert.equal(isTaken(headers), false, JSON.stringify(headers))
    assert.equal(isTaken({}, { method: 'GET' }), false)
    assert.equal(isTaken({}, { keyKind: 'management' }), false)
    for (const url of ['/api/v1/chat/completions/', '/api/v1/chat/completions?a=1', '/api/v1/models'])
      assert.equal(isTaken({}, { url }), false, url)
  })
})

const hi = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
const requests: [path: string, body: unknown][] = [
  ['/chat/completions', hi],
  ['/chat/completions', { ...hi, stream: true }],
  ['/chat/completions', { ...hi, max_tokens: 0 }],
  ['/chat/completions', { ...hi, model: 'no/model' }],
  ['/chat/completions', { messages: [] }],
  ['/chat/completions', []],
  ['/chat/completions', null],
  ['/chat/completions', JSON.parse('{"__proto__":{"a":1}}')],
  ['/messages', { ...hi, max_tokens: 5 }],
  ['/messages', { ...hi, max_tokens: 'x' }],
  ['/messages', { ...hi, model: 'no/model', max_tokens: 5 }],
  ['/responses', { model: 'signalbox/demo', input: 'Hi' }],
  ['/responses', { model: 'signalbox/demo', input: 5 }],
]

/**
 * What a client sees, but for what differs from answer to answer. The framework closes a connection after a body that it
 * cannot read; nothing asks for that.
 */
function seen({ status, headers, text }: Reply) {
  const differing = ['connection', 'keep-alive', 'date', 'x-generation-id', 'content-length', 'request-id']
  const kept = [...headers].filter(([name]) => !differing.includes(name))
  const times = /"(?:created|created_at|completed_at)":\d+/g
  const said = text.replace(/[a-z]+[-_][0-9a-f-]{30,}/g, 'id').replace(times, '"at":0')
  return { status, headers: Object.fromEntries(kept), said, named: headers.has('x-generation-id') }
}

describe('an answer by the shortcut', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({ settings: { cors_origins: ['https://page.example'] } })
    await service.ask('GET', '/models')
  })
  after(() => service[Symbol.asyncDispose]())

  for (const [path, body] of requests)
    test(`is the framework's own: ${path} ${JSON.stringify(body).slice(0, 90)}`, async () => {
      const headers = { 'x-request-id': 'same' }
      const short = await service.ask('POST', path, { body, headers })
      const framework = { ...headers, 'content-type': 'application/json;charset=UTF-8' }
      const long = await service.ask('POST', path, { body, headers: framework })
      assert.deepEqual(seen(short), seen(long))
    })

  test('to what is no JSON says so as the framework does', async () => {
    const send = async (type: string) => {
      const init = { method: 'POST', headers: { ...plain, 'content-type': type, 'content-length': '5' }, body: '{"a":' }
      const response = await fetch(`${service.url}/chat/completions`, init)
      return [response.status, await response.text()]
    }
    assert.deepEqual(await send('application/json'), await send('application/json;charset=UTF-8'))
  })
})
