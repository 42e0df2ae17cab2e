import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { type Received, type ScriptedUpstream, startScriptedUpstream } from '../harness/upstream/scripted-upstream.ts'

const json = (status: number, value: object) => ({ status, type: 'application/json', body: JSON.stringify(value) })
const supported_parameters = ['tools', 'reasoning', 'max_tokens']
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }

/** Servers of three protocols that refuse signed reasoning in the words of OpenAI, Anthropic and Google. */
function respond({ path, body }: Received) {
  const text = JSON.stringify(body)
  if (path.endsWith('/responses')) {
    const error = { message: 'The encrypted content gAAA...Rg== could not be verified.', type: 'invalid_request_error' }
    if (text.includes('gAAA')) return json(400, { error: { ...error, code: 'invalid_encrypted_content' } })
    const content = [{ type: 'output_text', text: 'Hi', annotations: [] }]
    const output = [{ type: 'message', id: 'm', role: 'assistant', status: 'completed', content }]
    return json(200, { id: 'r', object: 'response', status: 'completed', model: body.model, output, usage })
  }
  if (path.endsWith('/messages')) {
    const message = 'messages.1.content.0: Invalid `signature` in `thinking` block'
    if (text.includes('"signature":"c2ln"') || body.max_tokens === 7)
      return json(400, { type: 'error', error: { type: 'invalid_request_error', message } })
    const content = [{ type: 'text', text: 'Hi' }]
    return json(200, { id: 'm', type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage })
  }
  if (text.includes('"thoughtSignature":"c2ln"'))
    return json(400, { error: { code: 400, message: 'Corrupted thought signature.', status: 'INVALID_ARGUMENT' } })
  const candidates = [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }]
  return json(200, { candidates, usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 } })
}

const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }

/** A chat after a call whose reasoning has a signature of this format. */
const chatWith = (detail: object) => ({
  tools: [weather],
  messages: [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: null, tool_calls: [call], reasoning_details: [{ index: 0, ...detail }] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
  ],
})

const encrypted = { type: 'reasoning.encrypted', data: 'gAAAopaque', format: 'openai-responses-v1', id: 'native:rs_1' }
const signedCall = { type: 'reasoning.encrypted', data: 'c2ln', format: 'google-gemini-v1', id: 'native:call_1' }
const reasoningItem = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAopaque' }
const thinkingTurns = {
  max_tokens: 2000,
  thinking: { type: 'enabled', budget_tokens: 1024 },
  tools: [{ name: 'weather', input_schema: { type: 'object' } }],
  messages: [
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Look.', signature: 'c2ln' },
        { type: 'tool_use', id: 'call_1', name: 'weather', input: {} },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Rain' }] },
  ],
}
const responsesInput = [
  { role: 'user', content: 'Weather?' },
  reasoningItem,
  { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'Rain' },
]

describe('reasoning of earlier turns that a provider refuses', () => {
  let upstream: ScriptedUpstream
  let service: TestService
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-reasoning-'))
  before(async () => {
    upstream = await startScriptedUpstream(respond)
    const catalogue_file = join(folder, 'catalogue.json')
    const provider = (protocol: string) => ({ name: 'P', protocol, base_url: upstream.url, credentials: ['TEST_KEY'] })
    const model = (name: string, upstreamModel: string) => ({
      name,
      created: '2026-01-01',
      context_length: 100_000,
      endpoints: { [name]: { model: upstreamModel, prices: { prompt: 1, completion: 2 }, supported_parameters } },
    })
    const models = {
      'a/gpt': model('responses', 'gpt-5.1'),
      'a/claude': model('messages', 'claude-sonnet-4-5'),
      'a/gemini': model('gemini', 'gemini-3-flash'),
    }
    const providers = {
      responses: provider('openai-responses'),
      messages: provider('anthropic-messages'),
      gemini: provider('google-gemini'),
    }
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

  const requests: [path: string, body: object][] = [
    ['/responses', { model: 'a/gpt', input: responsesInput }],
    ['/chat/completions', { model: 'a/gpt', ...chatWith(encrypted) }],
    ['/messages', { model: 'a/claude', ...thinkingTurns }],
    ['/chat/completions', { model: 'a/gemini', ...chatWith(signedCall) }],
  ]

  test('is removed in a second request to the same endpoint', async () => {
    for (const [path, body] of requests) {
      const label = `${path} ${JSON.stringify(body).slice(0, 30)}`
      const { status, body: response } = await service.ask('POST', path, { body })
      assert.equal(status, 200, `${label}: ${JSON.stringify(response)}`)
      const [first, second, ...rest] = upstream.requests.splice(0)
      assert.match(JSON.stringify(first!.body), /gAAA|c2ln/, label)
      assert.doesNotMatch(JSON.stringify(second!.body), /gAAA|c2ln/, label)
      assert.match(JSON.stringify(second!.body), /Rain/, label)
      assert.deepEqual(rest, [], label)
    }
  })

  test('is removed only once; the second refusal reaches the client', async () => {
    const { status, body } = await service.ask('POST', '/messages', {
      body: { model: 'a/claude', ...thinkingTurns, max_tokens: 7, thinking: { type: 'disabled' } },
    })
    assert.equal(status, 400)
    assert.match(body.error.message, /Invalid `signature`/)
    assert.equal(upstream.requests.length, 2)
  })

  test('is not the cause without such reasoning, so the request is sent once', async () => {
    const messages = [{ role: 'user', content: 'Hi' }]
    const { status } = await service.ask('POST', '/messages', { body: { model: 'a/claude', max_tokens: 7, messages } })
    assert.equal(status, 400)
    assert.equal(upstream.requests.length, 1)
  })
})
