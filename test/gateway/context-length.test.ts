import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { type Received, type ScriptedUpstream, startScriptedUpstream } from '../harness/upstream/scripted-upstream.ts'

const limits: Record<string, number> = { short: 1_000, long: 50_000, cut: 20_000 }

/** Servers that count the words of a request and refuse it in the words of their protocol. */
function respond({ path, body }: Received) {
  const words = JSON.stringify(body.messages).split(' ').length
  const limit = limits[body.model]!
  const json = (status: number, value: object) => ({ status, type: 'application/json', body: JSON.stringify(value) })
  const isAnthropic = path.endsWith('/messages')
  if (words > limit) {
    const message = isAnthropic
      ? `prompt is too long: ${words} tokens > ${limit} maximum`
      : `This model's maximum context length is ${limit} tokens. However, you requested ${words} tokens.`
    return json(400, { type: 'error', error: { type: 'invalid_request_error', message } })
  }
  const usage = { prompt_tokens: 10, completion_tokens: 5, input_tokens: 10, output_tokens: 5 }
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
  const content = [{ type: 'text', text: 'Hi' }]
  const message = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn' }
  return json(200, { id: 'a', model: body.model, ...(isAnthropic ? message : { choices }), usage })
}

describe('a prompt that is too long', () => {
  let upstream: ScriptedUpstream
  let service: TestService
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-context-'))
  before(async () => {
    upstream = await startScriptedUpstream(respond)
    const catalogue_file = join(folder, 'catalogue.json')
    const provider = (protocol: string) => ({ name: 'P', protocol, base_url: upstream.url, credentials: ['TEST_KEY'] })
    const model = (upstreamModel: string, context_length: number, provider = 'p') => ({
      name: 'M',
      created: '2026-01-01',
      context_length,
      endpoints: { [provider]: { model: upstreamModel, prices: { prompt: 1, completion: 2 } } },
    })
    const models = {
      'a/short': model('short', 1_000),
      'a/long': model('long', 50_000),
      // The catalogue says more than the server takes.
      'a/claimed': model('short', 20_000),
      'a/claude': model('short', 20_000, 'anthropic'),
    }
    const providers = { p: provider('openai-chat'), anthropic: provider('anthropic-messages') }
    writeFileSync(catalogue_file, JSON.stringify({ providers, models }))
    const settings = { catalogue_file, starter_catalogue: 'false' as never }
    service = await startTestService({ settings, variables: { TEST_KEY: 'upstream-secret' } })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => upstream.requests.splice(0))

  const words = (count: number) => [{ role: 'user', content: 'word '.repeat(count) }]
  const ask = (path: string, model: string, count: number, more = {}) =>
    service.ask('POST', path, { body: { model, max_tokens: 10, messages: words(count), ...more } })

  test('is 400 context_length_exceeded where the catalogue excludes every endpoint', async () => {
    for (const count of [1_500, 15_000]) {
      const { status, body, headers } = await ask('/chat/completions', 'a/short', count)
      assert.deepEqual(
        [status, body.error.code, body.error.type],
        [400, 'context_length_exceeded', 'invalid_request_error'],
      )
      assert.match(body.error.message, /maximum context length is 1000 tokens.*context_length_exceeded/)
      assert.equal(body.error.metadata.error_type, 'context_length_exceeded')
      assert.equal(headers.get('retry-after'), null)
    }
    assert.equal(upstream.requests.length, 0)
  })

  test('is 400 context_length_exceeded where the provider refuses it, streamed or whole', async () => {
    for (const stream of [false, true])
      for (const model of ['a/claimed', 'a/claude']) {
        const { status, body } = await ask('/chat/completions', model, 1_500, { stream })
        assert.equal(status, 400)
        assert.match(body.error.message, /maximum context length is 1000 tokens/)
        assert.equal(body.error.metadata.error_type, 'context_length_exceeded')
        assert.match(body.error.metadata.raw, /tokens/)
      }
  })

  test('is answered at /messages in the words of Anthropic', async () => {
    for (const model of ['a/short', 'a/claimed', 'a/claude']) {
      const { status, body } = await ask('/messages', model, 1_500)
      assert.deepEqual([status, body.error.type], [400, 'invalid_request_error'])
      assert.match(body.error.message, /^prompt is too long: \d+ tokens > 1000 maximum$/)
    }
  })

  test('is 400 context_length_exceeded at /responses', async () => {
    const { status, body } = await service.ask('POST', '/responses', {
      body: { model: 'a/short', input: 'word '.repeat(1_500) },
    })
    assert.deepEqual([status, body.error.type], [400, 'invalid_request_error'])
    assert.match(body.error.message, /maximum context length is 1000 tokens/)
  })

  test('falls back to the next model with a larger context', async () => {
    for (const first of ['a/short', 'a/claimed', 'a/claude']) {
      const { status, body } = await ask('/chat/completions', first, 1_500, { models: ['a/long'] })
      assert.deepEqual([status, body.model], [200, 'a/long'], first)
    }
  })

  test('does not go to a model whose context is known to be too small', async () => {
    const { status } = await ask('/chat/completions', 'a/claimed', 15_000, { models: ['a/short'] })
    assert.deepEqual([status, upstream.requests.length], [400, 1])
  })

  test('does not count against its endpoint', async () => {
    for (let count = 0; count < 10; count++) await ask('/chat/completions', 'a/claimed', 1_500)
    assert.equal((await ask('/chat/completions', 'a/claimed', 5)).status, 200)
  })
})

test('a prompt that is too long keeps the numeric code with the dialect openrouter', async () => {
  await using service = await startTestService({ settings: { dialect: 'openrouter' } })
  const content = 'word '.repeat(200_000)
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content }] }
  const { status, body: response } = await service.ask('POST', '/chat/completions', { body })
  assert.deepEqual([status, response.error.code], [400, 400])
  assert.equal(response.error.metadata.error_type, 'context_length_exceeded')
})
