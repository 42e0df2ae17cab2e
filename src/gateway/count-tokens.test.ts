import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '#test/harness/upstream/scripted-upstream.ts'

let says = { status: 200, body: {} as object }
let upstream: ScriptedUpstream
let service: TestService
const folder = mkdtempSync(join(tmpdir(), 'signalbox-count-'))

before(async () => {
  upstream = await startScriptedUpstream(() => ({ ...says, type: 'application/json', body: JSON.stringify(says.body) }))
  const provider = { name: 'P', protocol: 'anthropic-messages', base_url: upstream.url, credentials: ['TEST_KEY'] }
  const endpoints = { p: { model: 'claude-x', prices: { prompt: 1, completion: 1 } } }
  const models = { 'a/m': { name: 'M', created: '2026-01-01', context_length: 1000, endpoints } }
  const catalogue_file = join(folder, 'catalogue.json')
  writeFileSync(catalogue_file, JSON.stringify({ providers: { p: provider, q: { ...provider, name: 'Q' } }, models }))
  const settings = { catalogue_file, starter_catalogue: 'false' as never }
  service = await startTestService({ settings, variables: { TEST_KEY: 'upstream-secret' } })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function count(status: number, body: object, more: object = {}) {
  says = { status, body }
  const request = { model: 'a/m', messages: [{ role: 'user', content: 'Hi' }], ...more }
  const response = await service.ask('POST', '/messages/count_tokens', { body: request })
  return { ...response, estimated: response.headers.get('x-tokens-estimated') }
}

test('the provider’s count is returned unchanged', async () => {
  const { status, body, estimated } = await count(200, { input_tokens: 4711 })
  assert.deepEqual([status, body, estimated], [200, { input_tokens: 4711 }, null])
})

test('counting uses no provider that the request excludes', async () => {
  for (const provider of [{ zdr: true }, { ignore: ['p'] }, { only: ['q'] }, { max_price: { prompt: 0.1 } }])
    assert.equal((await count(200, { input_tokens: 4711 }, { provider })).estimated, 'true', JSON.stringify(provider))
  assert.equal((await count(200, { input_tokens: 4711 }, { provider: { only: ['p'] } })).estimated, null)
})

test('without a counter the number is estimated and marked', async () => {
  for (const [status, result] of [
    [404, { error: { message: 'no such path' } }],
    [529, { error: { message: 'overloaded' } }],
    [401, { error: { message: 'who are you' } }],
    [200, { something: 'else' }],
  ] as const) {
    const response = await count(status, result)
    assert.deepEqual([status, response.status, response.estimated], [status, 200, 'true'])
    assert.ok(response.body.input_tokens > 0 && response.body.input_tokens < 100)
  }
})

test('an empty refusal of the upstream is passed on', async () => {
  const { status, text } = await count(400, { error: { status: 7 } })
  assert.equal(status, 400)
  assert.match(text, /refused the request as invalid/)
})

test('a refusal of the upstream is passed on without its credential', async () => {
  const { status, text } = await count(400, { error: { message: 'upstream-secret: messages must not be so' } })
  assert.equal(status, 400)
  assert.match(text, /messages must not be so/)
  assert.doesNotMatch(text, /upstream-secret/)
})
