import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { until } from '../harness/until.ts'
import { type Received, type ScriptedUpstream, startScriptedUpstream } from '../harness/upstream/scripted-upstream.ts'

/** Gemini bills an unusable call: 1,000 tokens of the prompt and 500 of reasoning, 0.002 USD at 1 and 2 a million. */
const malformed = {
  candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }],
  usageMetadata: { promptTokenCount: 1000, thoughtsTokenCount: 500, totalTokenCount: 1500 },
}
const failed = {
  id: 'r',
  status: 'failed',
  error: { code: 'server_error', message: 'It failed.' },
  usage: { input_tokens: 1000, output_tokens: 500, total_tokens: 1500 },
}
const erroneous = {
  choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'error' }],
  usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
}
const responses: Record<string, object> = { 'gemini-3-flash': malformed, 'gpt-5': failed, chat: erroneous }

/** A stream that fails after content. */
const cutStream = [
  { choices: [{ index: 0, delta: { content: 'word '.repeat(400) } }] },
  { error: { message: 'It failed.' } },
]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .join('')

describe('an error with a usage report', () => {
  let upstream: ScriptedUpstream
  let service: TestService
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-errors-'))

  function answer({ path, body }: Received) {
    const name = body.model ?? /models\/([^:]+):/.exec(path)![1]
    if (name === 'cut') return { status: 200, type: 'text/event-stream', body: cutStream }
    const isStream = body.stream === true || path.includes('stream')
    const response = responses[name]!
    const event = name === 'gpt-5' ? { type: 'response.failed', response } : response
    return isStream
      ? { status: 200, type: 'text/event-stream', body: `data: ${JSON.stringify(event)}\n\n` }
      : { status: 200, type: 'application/json', body: JSON.stringify(response) }
  }
  before(async () => {
    upstream = await startScriptedUpstream(answer)
    const catalogue_file = join(folder, 'catalogue.json')
    const provider = (protocol: string) => ({ name: 'P', protocol, base_url: upstream.url })
    const model = (name: string, by: string) => ({
      name,
      created: '2026-01-01',
      context_length: 10_000,
      endpoints: { [by]: { model: name, prices: { prompt: 1, completion: 2 } } },
    })
    const providers = {
      google: provider('google-gemini'),
      openai: provider('openai-responses'),
      chats: provider('openai-chat'),
      streaming: { ...provider('openai-chat'), compatibility: { whole_answers: false } },
    }
    const models = {
      'test/gemini-3-flash': model('gemini-3-flash', 'google'),
      'test/gpt-5': model('gpt-5', 'openai'),
      'test/chat': model('chat', 'chats'),
      'test/cut': model('cut', 'streaming'),
    }
    writeFileSync(catalogue_file, JSON.stringify({ providers, models }))
    service = await startTestService({ settings: { catalogue_file, starter_catalogue: 'false' as never } })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  async function chargeFor(name: string, stream: boolean): Promise<number> {
    const { body: created } = await service.manage('POST', '/keys', { name: 'one', limit: 1 })
    const messages = [{ role: 'user', content: 'word '.repeat(300) }]
    const body = { model: `test/${name}`, messages, max_tokens: 1000, stream }
    await service.ask('POST', '/chat/completions', { key: created.key, body })
    return await until(async () => {
      const { body: key } = await service.ask('GET', '/key', { key: created.key })
      return 1 - key.data.limit_remaining || undefined
    }, 20_000)
  }

  for (const name of Object.keys(responses))
    for (const stream of [false, true])
      test(`of ${name} is charged, ${stream ? 'streamed' : 'whole'}`, async () => {
        const charged = await chargeFor(name, stream)
        assert.ok(Math.abs(charged - 0.002) < 1e-9, `${charged} USD`)
      })

  for (const stream of [false, true])
    test(`after content is charged without a report, ${stream ? 'streamed' : 'whole'}`, async () => {
      const charged = await chargeFor('cut', stream)
      // 400 tokens of the response alone.
      assert.ok(charged > 400 * 2e-6, `${charged} USD`)
    })
})
