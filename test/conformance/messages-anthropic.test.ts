import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import Anthropic, {
  type APIError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
} from '@anthropic-ai/sdk'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'
import { upstreamProtocols } from '#test/harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithRecordings } from '#test/harness/upstream/recorded-providers.ts'

const input_schema = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] }
const weather: Anthropic.Tool = { name: 'weather', description: 'Returns the weather.', input_schema }
const userMessage = (content: Anthropic.MessageParam['content']) => [{ role: 'user' as const, content }]
const max_tokens = 2000
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const pdf = Buffer.from('%PDF-1.4 hello').toString('base64')

const failureOf = (pending: Promise<unknown>): Promise<APIError> =>
  pending.then(
    () => assert.fail('it was answered'),
    (error) => error,
  )

describe('@anthropic-ai/sdk', () => {
  let recorded: RecordedProviders
  let anthropic: Anthropic
  before(async () => {
    recorded = await startWithRecordings()
    const { url, apiKey } = recorded.service
    // The client puts /v1/messages behind it.
    anthropic = new Anthropic({ apiKey, baseURL: url.replace(/\/v1$/, ''), maxRetries: 0 })
  })
  after(() => recorded[Symbol.asyncDispose]())
  const sent = () => recorded.upstream.requests.at(-1)!
  const ask = (model: string, more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {}) =>
    anthropic.messages.create({ model, max_tokens, messages: userMessage('Hi'), ...more })
  const stream = (model: string, more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {}) =>
    anthropic.messages.stream({ model, max_tokens, messages: userMessage('Hi'), ...more })

  for (const protocol of upstreamProtocols) {
    describe(`on ${protocol}`, () => {
      const isOwn = protocol === 'anthropic-messages'
      const body = () => sent().body
      const text = JSON.stringify

      test('text is the same whole and streamed, with usage', async () => {
        const whole = await ask(`${protocol}/text`)
        const helper = stream(`${protocol}/text`)
        const pieces: string[] = []
        helper.on('text', (piece) => pieces.push(piece))
        const streamed = await helper.finalMessage()
        const [block] = whole.content
        assert.ok(block?.type === 'text' && block.text.length > 0)
        assert.equal(pieces.join(''), block.text)
        assert.equal(streamed.content[0]?.type === 'text' && streamed.content[0].text, block.text)
        assert.deepEqual([whole.stop_reason, streamed.stop_reason], ['end_turn', 'end_turn'])
        assert.ok(whole.usage.output_tokens > 0 && whole.usage.input_tokens > 0)
        assert.equal(streamed.usage.output_tokens, whole.usage.output_tokens)
        assert.equal(streamed.usage.input_tokens, whole.usage.input_tokens)
        assert.ok((whole as { _request_id?: string })._request_id)
      })

      test('tools: two calls at once, whole and streamed, and their results go back', async () => {
        const model = `${protocol}/parallel-tools`
        const whole = await ask(model, { tools: [weather] })
        const streamed = await stream(model, { tools: [weather] }).finalMessage()
        const calls = (message: Anthropic.Message) =>
          message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
        assert.equal(whole.stop_reason, 'tool_use')
        assert.equal(calls(whole).length, 2)
        assert.deepEqual(
          calls(streamed).map(({ name, input }) => [name, input]),
          calls(whole).map(({ name, input }) => [name, input]),
        )
        const results = calls(whole).map(({ id }) => ({
          type: 'tool_result' as const,
          tool_use_id: id,
          content: [
            { type: 'text' as const, text: `blue ${id}` },
            {
              type: 'image' as const,
              source: { type: 'base64' as const, media_type: 'image/png' as const, data: png },
            },
          ],
        }))
        const messages = [
          ...userMessage('Hi'),
          { role: 'assistant' as const, content: whole.content },
          { role: 'user' as const, content: results },
        ]
        await ask(`${protocol}/text`, { messages, tools: [weather] })
        for (const { id } of calls(whole)) assert.ok(text(body()).includes(`blue ${id}`))
        assert.ok(text(body()).includes(png))
      })

      test('tool_choice: all four, and one tool at a time', async () => {
        const chosen = async (tool_choice: Anthropic.ToolChoice) => {
          await ask(`${protocol}/text`, { tools: [weather], tool_choice })
          const { tool_choice: result, toolConfig, parallel_tool_calls: parallel } = body()
          return text(result ?? toolConfig?.functionCallingConfig) + (parallel === false ? ' one' : '')
        }
        assert.match(await chosen({ type: 'auto' }), /auto/i)
        assert.match(await chosen({ type: 'any' }), /any|required/i)
        assert.match(await chosen({ type: 'none' }), /none/i)
        assert.match(await chosen({ type: 'tool', name: 'weather' }), /weather/)
        const one = await chosen({ type: 'auto', disable_parallel_tool_use: true })
        if (protocol !== 'google-gemini') assert.match(one, /one|"disable_parallel_tool_use":true/)
      })

      test('thinking: text and signature are returned, and sent back to the same provider', async () => {
        const scenario = { 'openai-chat': 'reasoning', 'openai-responses': 'reasoning' }[protocol as string]
        const model = `${protocol}/${scenario ?? 'thinking-tools'}`
        const request = { thinking: { type: 'enabled' as const, budget_tokens: 1024 }, tools: [weather] }
        const marks = {
          'anthropic-messages': 'EqQBCgIYAhIM-signed',
          'openai-responses': 'gAAAAAB-opaque',
          'google-gemini': 'CikB-signed',
        }
        const mark = (marks as Record<string, string>)[protocol]
        const responses: Anthropic.Message[] = [await stream(model, request).finalMessage()]
        if (protocol !== 'openai-chat') responses.push(await ask(model, request))
        for (const { content } of responses) {
          const thought = content.find(({ type }) => type === 'thinking')
          assert.ok(thought?.type === 'thinking' && thought.thinking.length > 0)
          const isMarked = content.some(
            (block) => block.type === 'redacted_thinking' || (block.type === 'thinking' && block.signature !== ''),
          )
          assert.ok(isMarked)
          const results = content.flatMap((block) =>
            block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'blue' }] : [],
          )
          const turn = results.length > 0 ? [{ role: 'user' as const, content: results }] : userMessage('Continue')
          const messages = [...userMessage('Hi'), { role: 'assistant' as const, content }, ...turn]
          await ask(`${protocol}/text`, { messages, ...request })
          if (mark) assert.ok(text(body()).includes(mark), 'the mark went back')
          // Other providers do not get it.
          for (const other of upstreamProtocols.filter((one) => one !== protocol)) {
            await ask(`${other}/text`, { messages, ...request })
            assert.ok(!text(body()).includes(mark ?? 'sealed.'), other)
            assert.ok(!text(body()).includes('sealed.'), other)
          }
        }
      })

      test('system, images, PDF and plain text', async () => {
        const content: Anthropic.ContentBlockParam[] = [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
          { type: 'image', source: { type: 'url', url: 'https://example.com/cat.png' } },
          {
            type: 'document',
            title: 'terms.pdf',
            source: { type: 'base64', media_type: 'application/pdf', data: pdf },
          },
          { type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'plain notes' } },
          { type: 'text', text: 'What is it?' },
        ]
        const system = [
          { type: 'text' as const, text: 'Be brief.' },
          { type: 'text' as const, text: 'Be kind.' },
        ]
        await ask(`${protocol}/text`, { system, messages: userMessage(content) })
        for (const part of [
          png,
          'https://example.com/cat.png',
          pdf,
          'plain notes',
          'What is it?',
          'Be brief.',
          'Be kind.',
        ])
          assert.ok(text(body()).includes(part), part)
      })

      test('cache marks reach only upstreams that support them', async () => {
        const cache_control = { type: 'ephemeral' as const }
        const content = [{ type: 'text' as const, text: 'Long.', cache_control }]
        await ask(`${protocol}/text`, {
          system: content,
          messages: userMessage(content),
          tools: [{ ...weather, cache_control }],
        })
        assert.equal(text(body()).includes('cache_control'), isOwn)
        if (protocol === 'openai-chat') assert.equal(body().messages[0].content, 'Long.')
      })

      test('settings: limit, stop_sequences, top_k, metadata, service_tier, temperature', async () => {
        await ask(`${protocol}/text`, {
          stop_sequences: ['END'],
          // The types of the client no longer have these fields, but it sends them.
          ...{ top_k: 7, temperature: 0.5 },
          metadata: { user_id: 'user-1' },
          service_tier: 'standard_only',
        })
        const message = text(body())
        assert.ok(message.includes('2000'))
        if (protocol !== 'openai-responses')
          for (const part of ['END', '7', '0.5']) assert.ok(message.includes(part), part)
        if (protocol === 'openai-chat') assert.deepEqual([body().user, body().service_tier], ['user-1', 'default'])
        if (isOwn) assert.deepEqual([body().metadata.user_id, body().service_tier], ['user-1', 'standard_only'])
      })

      test('structured output: its schema is sent', async () => {
        const schema = { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false }
        await ask(`${protocol}/text`, { output_config: { format: { type: 'json_schema', schema } } })
        assert.ok(text(body()).includes(text(schema)))
      })

      test('count_tokens: from the upstream, or a marked estimate', async () => {
        const asking = anthropic.messages.countTokens({
          model: `${protocol}/text`,
          messages: userMessage('Hi'),
          tools: [weather],
        })
        const { data, response } = await asking.withResponse()
        assert.equal(data.input_tokens === 2095, isOwn)
        assert.ok(data.input_tokens > 1)
        assert.equal(response.headers.get('x-tokens-estimated'), isOwn ? null : 'true')
        if (isOwn) assert.deepEqual([sent().path.slice(-22), body().max_tokens], ['/messages/count_tokens', undefined])
      })

      test('a server tool runs where the provider has it, and is refused by name elsewhere', async () => {
        const tools = [{ type: 'web_search_20250305' as const, name: 'web_search' as const, max_uses: 2 }]
        if (isOwn) {
          await ask(`${protocol}/text`, { tools })
          assert.deepEqual(body().tools, tools)
        } else {
          const error = await failureOf(ask(`${protocol}/text`, { tools }))
          assert.ok(error instanceof BadRequestError)
          assert.match(error.message, /web_search_20250305/)
        }
      })

      test('betas reach Anthropic only', async () => {
        const betas = ['interleaved-thinking-2025-05-14' as const]
        await anthropic.beta.messages.create({
          model: `${protocol}/text`,
          max_tokens,
          messages: userMessage('Hi'),
          betas,
        })
        assert.equal(sent().headers['anthropic-beta'], isOwn ? betas[0] : undefined)
        assert.equal(sent().headers['anthropic-version'], isOwn ? '2026-10-21' : undefined)
      })

      test('a stream that breaks off is an error with Anthropic’s words', async () => {
        const error = await failureOf(stream(`${protocol}/error`).finalMessage())
        assert.match(error.message, /api_error|overloaded_error|timeout_error/)
      })

      test('citations: the sources of the text, whole and streamed', async () => {
        const responses = [await ask(`${protocol}/cited`), await stream(`${protocol}/cited`).finalMessage()]
        for (const { content } of responses) {
          const [block] = content
          assert.ok(block?.type === 'text' && block.text === 'Rome is old.')
          const [citation] = block.citations ?? []
          assert.ok(citation?.type === 'web_search_result_location', JSON.stringify(content))
          assert.deepEqual([citation.url, citation.title], ['https://example.com/rome', 'Rome'])
        }
      })

      test('errors of the provider have Anthropic’s form, whole and streamed', async () => {
        const expected = { 400: 'invalid_request_error', 401: null, 429: 'rate_limit_error', 529: null }
        for (const [status, type] of Object.entries(expected)) {
          const model = `${protocol}/status-${status}`
          for (const request of [() => ask(model), () => stream(model).finalMessage()]) {
            const error = await failureOf(request())
            const userMessage = error.error as any
            assert.equal(userMessage.type, 'error')
            // A key of the service's own, and an upstream that is overloaded, are not the client's affair.
            assert.match(
              userMessage.error.type,
              type ? new RegExp(type) : /^(api_error|overloaded_error)$/,
              `${status}: ${text(userMessage)}`,
            )
            assert.ok(error.requestID)
          }
        }
      })

      test('is metered like any other', async () => {
        const { response } =
          (await ask(`${protocol}/text`)) &&
          (await anthropic.messages
            .create({ model: `${protocol}/text`, max_tokens, messages: userMessage('Hi') })
            .withResponse())
        const record = await untilMetered(recorded.service, response.headers.get('x-generation-id'))
        assert.deepEqual([record.api_type, record.outcome], ['messages', 'success'])
        assert.ok(record.total_cost > 0)
      })
    })
  }

  test('errors have Anthropic’s form: the right class, type and request id', async () => {
    const unknown = await failureOf(ask('no/such'))
    assert.ok(unknown instanceof NotFoundError)
    const { error, type, request_id } = unknown.error as any
    assert.deepEqual([type, error.type, request_id], ['error', 'not_found_error', unknown.requestID])
    const key = `sb-v1-${'0'.repeat(64)}`
    const stranger = anthropic.withOptions({ apiKey: key })
    const refused = await failureOf(stranger.messages.create({ model: 'a/b', max_tokens, messages: userMessage('Hi') }))
    assert.ok(refused instanceof AuthenticationError)
    assert.equal((refused.error as any).error.type, 'authentication_error')
    const odd = await failureOf(ask('openai-chat/text', { messages: [{ role: 'nobody' as never, content: 'Hi' }] }))
    assert.ok(odd instanceof BadRequestError)
    assert.equal((odd.error as any).error.type, 'invalid_request_error')
    const { batches } = anthropic.messages
    const elsewhere = [
      () => batches.list(),
      () => batches.create({ requests: [] }),
      () => batches.retrieve('b'),
      () => batches.cancel('b'),
      () => batches.delete('b'),
      () => anthropic.beta.files.list(),
    ]
    for (const request of elsewhere) {
      const error = await failureOf(request().then())
      assert.ok(error instanceof NotFoundError)
      const { type, error: userMessage, request_id } = error.error as any
      assert.deepEqual([type, userMessage.type, request_id], ['error', 'not_found_error', error.requestID])
    }
  })

  test('a bearer token is as good as x-api-key, and /v1 as /api/v1', async () => {
    const { url, apiKey } = recorded.service
    const client = new Anthropic({ authToken: apiKey, apiKey: null, baseURL: new URL(url).origin, maxRetries: 0 })
    const message = await client.messages.create({ model: 'openai-chat/text', max_tokens, messages: userMessage('Hi') })
    assert.equal(message.role, 'assistant')
  })

  test('a message that passes names the model of the catalogue', async () => {
    const model = 'anthropic-messages/parallel-tools'
    const whole = await ask(model)
    const streamed = await stream(model).finalMessage()
    for (const message of [whole, streamed])
      assert.deepEqual([message.model, (message as { provider?: string }).provider], [model, 'anthropic-messages'])
    assert.ok((whole.usage as { cost?: number }).cost)
  })

  test('own fields do not reach the upstream, unknown ones do', async () => {
    const { service } = recorded
    const ours = { provider: {}, session_id: 's', user: 'u', fallbacks: [{ model: 'openai-chat/text' }] }
    const body = { model: 'anthropic-messages/text', max_tokens, messages: userMessage('Hi'), novelty: 1, ...ours }
    assert.equal((await service.ask('POST', '/messages', { body })).status, 200)
    const { model, novelty, ...rest } = sent().body
    assert.deepEqual([model, novelty, Object.keys(rest).sort()], ['text', 1, ['max_tokens', 'messages', 'stream']])
  })

  test('presets fill a messages body in, whichever kind of body they were saved from', async () => {
    const { service } = recorded
    await service.manage('POST', '/presets/rhyme/responses', {
      instructions: 'Rhyme.',
      temperature: 0.9,
      max_output_tokens: 50,
      tools: [{ type: 'function', name: 'look_up', parameters: { type: 'object' } }],
    })
    await service.manage('POST', '/presets/thinker/messages', {
      model: 'anthropic-messages/text',
      system: 'Think.',
      thinking: { type: 'enabled', budget_tokens: 2048 },
      stop_sequences: ['END'],
    })
    const use = (body: object) => service.ask('POST', '/messages', { body: { messages: userMessage('Hi'), ...body } })
    assert.equal((await use({ model: 'anthropic-messages/text@preset/rhyme', system: 'Be brief.' })).status, 200)
    const { messages: _, ...filled } = sent().body
    assert.deepEqual(filled, {
      system: 'Rhyme.\n\nBe brief.',
      max_tokens: 50,
      temperature: 0.9,
      tools: [{ name: 'look_up', input_schema: { type: 'object', properties: {} } }],
      model: 'text',
      stream: false,
    })
    assert.equal((await use({ preset: 'thinker', max_tokens: 4000 })).status, 200)
    const { thinking, output_config, stop_sequences, system } = sent().body
    assert.deepEqual([system, stop_sequences], ['Think.', ['END']])
    assert.ok(thinking?.type === 'enabled' || output_config?.effort, JSON.stringify(sent().body))
  })

  test('guardrails hold: filters redact, and a refusal names its guardrail', async () => {
    const { service } = recorded
    const { body: created } = await service.manage('POST', '/guardrails', {
      name: 'Strict',
      content_filter_builtins: [{ slug: 'email', action: 'redact' }],
      ignored_models: ['openai-chat/text'],
    })
    const { body: key } = await service.manage('POST', '/keys', { name: 'strict' })
    await service.manage('POST', `/guardrails/${created.data.id}/assignments/keys`, { key_hashes: [key.data.hash] })
    const strict = anthropic.withOptions({ apiKey: key.key })
    const messages = userMessage([{ type: 'text', text: 'Write to ada@example.com' }])
    for (const protocol of upstreamProtocols.filter((one) => one !== 'openai-chat')) {
      await strict.messages.create({ model: `${protocol}/text`, max_tokens, messages, system: 'I am bob@example.com' })
      assert.ok(!sent().text.includes('@example.com'), protocol)
      assert.ok(sent().text.includes('Write to [EMAIL]'), protocol)
      await strict.messages.countTokens({ model: `${protocol}/text`, messages })
      assert.ok(!sent().text.includes('@example.com'), protocol)
    }
    const refused = await failureOf(strict.messages.create({ model: 'openai-chat/text', max_tokens, messages }))
    assert.ok(refused instanceof PermissionDeniedError)
    assert.match(refused.message, /Strict/)
  })

  test('limits apply: reservations, and betas with a separate price are not forwarded', async () => {
    const { service } = recorded
    const { body: key } = await service.manage('POST', '/keys', { name: 'limited', limit: 1 })
    const limited = anthropic.withOptions({ apiKey: key.key })
    const betas = ['interleaved-thinking-2025-05-14', 'context-1m-2025-08-07']
    await limited.beta.messages.create({
      model: 'anthropic-messages/text',
      max_tokens,
      messages: userMessage('Hi'),
      betas,
    })
    assert.equal(sent().headers['anthropic-beta'], betas[0])
    const { body: poor } = await service.manage('POST', '/keys', { name: 'poor', limit: 0.001 })
    const refused = await failureOf(
      anthropic
        .withOptions({ apiKey: poor.key })
        .messages.create({ model: 'anthropic-messages/text', max_tokens, messages: userMessage('Hi') }),
    )
    assert.ok(refused instanceof PermissionDeniedError)
    assert.match(refused.message, /spending limit/)
  })

  test('models can be listed, page by page in either direction, and retrieved', async () => {
    const clients = [anthropic, anthropic.withOptions({ apiKey: null, authToken: recorded.service.apiKey })]
    for (const client of clients) {
      const whole = await client.models.list()
      const ids = whole.data.map(({ id }) => id)
      assert.ok(ids.includes('anthropic-messages/text'))
      assert.deepEqual([whole.has_more, whole.first_id, whole.last_id], [false, ids[0], ids.at(-1)])
      const paged: string[] = []
      for await (const { id } of client.models.list({ limit: 5 })) paged.push(id)
      assert.deepEqual(paged, ids)
      const back: string[] = []
      for await (const { id } of client.models.list({ limit: 5, before_id: ids.at(-1)! })) back.push(id)
      assert.deepEqual(back.toSorted(), ids.slice(0, -1).toSorted())
      const model = await client.models.retrieve('anthropic-messages/text')
      const { type, display_name, created_at, max_input_tokens } = model
      const expected = ['model', 'text', '2026-01-01T00:00:00.000Z', 100_000]
      assert.deepEqual([type, display_name, created_at, max_input_tokens], expected)
      assert.deepEqual(
        Object.keys(whole.data[0]!).sort(),
        Object.keys({ ...whole.data[0], ...model })
          .filter((name) => name !== 'object' && name !== 'owned_by')
          .sort(),
      )
    }
    const unknown = await failureOf(anthropic.models.retrieve('no/such').then())
    assert.ok(unknown instanceof NotFoundError && (unknown.error as any).type === 'error')
    const nowhere = await failureOf(anthropic.models.list({ after_id: 'no/such' }).then())
    assert.ok(nowhere instanceof BadRequestError)
  })
})
