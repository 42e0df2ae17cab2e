import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { linkForRole } from '../harness/browser/console.ts'
import { openBrowser } from '../harness/service/browser-client.ts'
import { listen } from '../harness/service/events.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { addColleague } from '../harness/service/world/colleague.ts'
import { untilMetered } from '../harness/service/world/generation-record.ts'
import { type Received, type ScriptedUpstream, startScriptedUpstream } from '../harness/upstream/scripted-upstream.ts'

const credential = 'upstream-secret-0123456789'
const leak = `The key ${credential} and sk-proj-****abcd failed: \0`
const masked = 'The key [secret] and [secret] failed: '

const protocols = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini'] as const
type Protocol = (typeof protocols)[number]

/** The body of an error in the words of each protocol, with the code that is recorded. */
const bodies: Record<Protocol, (message: string) => { error: object; code: string }> = {
  'openai-chat': (message) => ({
    error: { message, code: 'model_overloaded', type: 'server' },
    code: 'model_overloaded',
  }),
  'openai-responses': (message) => ({ error: { message, code: 'server_error' }, code: 'server_error' }),
  'anthropic-messages': (message) => ({ error: { message, type: 'overloaded_error' }, code: 'overloaded_error' }),
  'google-gemini': (message) => ({ error: { message, status: 'UNAVAILABLE', code: 503 }, code: 'UNAVAILABLE' }),
}

/** The first events of a streamed response, and the event that ends it with an error. */
const streams: Record<Protocol, (error: object) => object[]> = {
  'openai-chat': (error) => [{ choices: [{ index: 0, delta: { content: 'Hi' } }] }, { error }],
  'openai-responses': (error) => [
    { type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'Hi' },
    { type: 'response.failed', response: { status: 'failed', error } },
  ],
  'anthropic-messages': (error) => [
    { type: 'message_start', message: { id: 'm', model: 'm', usage: { input_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
    { type: 'error', error },
  ],
  'google-gemini': (error) => [{ candidates: [{ content: { parts: [{ text: 'Hi' }] } }] }, { error }],
}

/** Streams of events for several keys. `waitFor` returns the message of a request's first attempt in each. */
async function listeners(url: string, keys: Record<string, string>) {
  const streams = await Promise.all(
    Object.entries(keys).map(async ([name, key]) => [name, await listen(url, { key })] as const),
  )
  return {
    waitFor: async (id: string) => {
      const messages = streams.map(async ([name, stream]) => {
        const { attempts } = await stream.waitFor('generation', (data) => data.id === id)
        return [name, attempts[0].error.message]
      })
      return Object.fromEntries(await Promise.all(messages))
    },
    async [Symbol.asyncDispose]() {
      for (const [, stream] of streams) stream.close()
    },
  }
}

describe("a provider's error in the record of a request", () => {
  let upstream: ScriptedUpstream
  let service: TestService
  let response: (received: Received) => ReturnType<Parameters<typeof startScriptedUpstream>[0]>
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-errors-'))
  before(async () => {
    upstream = await startScriptedUpstream((received) => response(received))
    const catalogue_file = join(folder, 'catalogue.json')
    const entries = protocols.map((protocol) => [
      protocol,
      { name: protocol, protocol, base_url: upstream.url, credentials: ['TEST_KEY'] },
    ])
    const models = protocols.map((protocol) => {
      const endpoints = { [protocol]: { model: 'm', prices: { prompt: 1, completion: 2 } } }
      return [`a/${protocol}`, { name: 'M', created: '2026-01-01', context_length: 1000, endpoints }]
    })
    writeFileSync(
      catalogue_file,
      JSON.stringify({ providers: Object.fromEntries(entries), models: Object.fromEntries(models) }),
    )
    const settings = { catalogue_file, starter_catalogue: 'false' as never }
    service = await startTestService({ settings, variables: { TEST_KEY: credential } })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  async function recordOf(protocol: Protocol, stream = false) {
    const body = { model: `a/${protocol}`, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }], stream }
    const { headers } = await service.ask('POST', '/chat/completions', { body })
    return untilMetered(service, headers.get('x-generation-id'))
  }

  for (const protocol of protocols) {
    test(`${protocol}: a refusal keeps status, code and masked message`, async () => {
      const { error, code } = bodies[protocol](leak)
      response = () => ({ status: 400, type: 'application/json', body: JSON.stringify({ type: 'error', error }) })
      const record = await recordOf(protocol)
      assert.deepEqual(record.attempts[0].error, { status: 400, code, message: masked })
      assert.ok(!JSON.stringify(record).includes(credential))
    })

    test(`${protocol}: an error within a stream keeps code and masked message`, async () => {
      const { error, code } = bodies[protocol](leak)
      const events = streams[protocol](error).map((event) => `data: ${JSON.stringify(event)}\n\n`)
      response = () => ({ status: 200, type: 'text/event-stream', body: events.join('') })
      const [attempt] = (await recordOf(protocol, true)).attempts
      assert.deepEqual([attempt.outcome, attempt.error.code, attempt.error.message], ['broke', code, masked])
    })
  }

  test("the provider's message is visible to the sender and admins only", async () => {
    const quoting = { message: 'Invalid prompt: "my secret plan"', code: 'bad_prompt' }
    response = () => ({ status: 400, type: 'application/json', body: JSON.stringify({ error: quoting }) })
    const grace = await addColleague(service)
    const [viewer, admin] = await Promise.all(
      ['viewer', 'admin'].map(async (access) => openBrowser(service, { link: await linkForRole(service, access) })),
    )
    await using events = await listeners(service.url, { own: service.apiKey, other: grace.key })
    const { id } = await recordOf('openai-chat')
    const messageFor = async (ask: TestService['ask']) => {
      const { feedback, ...single } = (await ask('GET', `/generation?id=${id}`)).body.data
      assert.deepEqual(feedback, [])
      const listed = (await ask('GET', '/generations')).body.data.find((one: any) => one.id === id)
      assert.deepEqual(single, listed)
      const { message, ...label } = single.attempts[0].error
      assert.deepEqual(label, { status: 400, code: 'bad_prompt' })
      return message
    }
    assert.equal(await messageFor(service.ask), quoting.message)
    assert.equal(await messageFor((method, path) => service.manage(method, path)), quoting.message)
    assert.equal(await messageFor(admin!.ask), quoting.message)
    assert.equal(await messageFor(grace.ask), null)
    assert.equal(await messageFor(viewer!.ask), null)
    const received = await events.waitFor(id)
    assert.deepEqual(received, { own: quoting.message, other: null })
  })

  test('a rejected credential keeps the message of the provider, masked', async () => {
    const { error } = bodies['openai-chat'](leak)
    response = () => ({ status: 401, type: 'application/json', body: JSON.stringify({ error }) })
    assert.deepEqual((await recordOf('openai-chat')).attempts[0].error, {
      status: 401,
      code: 'model_overloaded',
      message: masked,
    })
  })

  test('a message of more than 2 kB is cut between characters', async () => {
    response = () => ({ status: 500, type: 'text/plain', body: '€'.repeat(5000) })
    const { message } = (await recordOf('openai-chat')).attempts[0].error
    assert.equal(message, '€'.repeat(666))
  })

  test('a prompt that is too long for the provider is the recorded reason', async () => {
    const message = "This model's maximum context length is 10 tokens. However, you requested 20 tokens."
    const error = { message, code: 'context_length_exceeded' }
    response = () => ({ status: 400, type: 'application/json', body: JSON.stringify({ error }) })
    assert.equal((await recordOf('openai-chat')).error.reason, 'context_length_exceeded')
  })
})
