import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SseReader } from '#platform/net/sse.ts'
import { until } from '#test/harness/until.ts'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { parseRequest } from '#test/harness/upstream/scripted-upstream.ts'
import { type Door, doors, streamReaders, wholeReaders } from '../../tool-calls/clients.ts'
import { oddCalls } from './loose-call-pieces.ts'
import { brokenStream, oddErrors, unusableResponses } from './loose-errors.ts'
import { oddForms } from './loose-forms.ts'
import { otherForms } from './loose-response-forms.ts'
import { oddResponses } from './loose-upstreams.ts'

const responses = [...oddResponses, ...oddCalls, ...oddForms, ...otherForms]
/** The reasoning in the events of any client protocol. */
const readReasoning = (events: any[]) =>
  events
    .map(({ type, delta, choices }) =>
      type === 'response.reasoning_summary_text.delta' ? delta : (delta?.thinking ?? choices?.[0]?.delta?.reasoning),
    )
    .join('')

const parameters = { type: 'object', properties: {} }
const tools: Record<Door, object[]> = {
  chat: [{ type: 'function', function: { name: 'read', parameters } }],
  responses: [{ type: 'function', name: 'read', parameters }],
  messages: [{ name: 'read', input_schema: parameters }],
}

describe('responses of servers that follow their protocol loosely', () => {
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithUpstream(
      (received) => {
        const { name } = parseRequest(received)
        if (name === 'broken') return { status: 200, type: 'text/event-stream', body: brokenStream }
        const [, number] = name.split('-')
        if (name.startsWith('error-')) {
          const [body] = oddErrors[Number(number)]!
          return { status: 400, type: 'application/json', body: typeof body === 'string' ? body : JSON.stringify(body) }
        }
        const { body: unusable } = unusableResponses[Number(number)] ?? {}
        if (name.startsWith('unusable-'))
          return {
            status: 200,
            type: unusable!.startsWith('{') ? 'application/json' : 'text/event-stream',
            body: unusable!,
          }
        return { status: 200, type: 'text/event-stream', ...responses[Number(number)]!.reply }
      },
      [
        'broken',
        ...responses.map((_, at) => `answer-${at}`),
        ...oddErrors.map((_, at) => `error-${at}`),
        ...unusableResponses.map((_, at) => `unusable-${at}`),
      ],
    )
  })
  after(() => recorded[Symbol.asyncDispose]())

  for (const [
    at,
    { name, protocol, calls = [], text = '', end, not, whole, hasTools, reasoning },
  ] of responses.entries())
    for (const door of (Object.keys(doors) as Door[]).filter((one) => one !== not))
      test(`${door}: ${name}`, async () => {
        const { path, body } = doors[door]
        const model = `${protocol}/answer-${at}`
        const request = { ...body, model, stream: !whole, ...(hasTools && { tools: tools[door] }) }
        const reply = await recorded.service.ask('POST', path, { body: request })
        assert.equal(reply.status, 200, reply.text)
        const events = whole ? [] : new SseReader().push(Buffer.from(reply.text)).map(({ data }) => data)
        const parsed = events.filter((data) => data.startsWith('{')).map((data) => JSON.parse(data))
        const result = whole ? wholeReaders[door](reply.body) : streamReaders[door](parsed)
        const ids = result.calls.map(([id]) => id)
        assert.equal(new Set(ids).size, ids.length, 'ids are different')
        assert.ok(ids.every(Boolean), 'every call has an id')
        assert.deepEqual([result.text, result.calls.map((call) => call.slice(1))], [text, calls], reply.text)
        assert.equal(result.end, end[door], reply.text)
        const ends = parsed.flatMap(({ choices }) => choices?.[0]?.finish_reason ?? [])
        assert.ok(new Set(ends).size === ends.length, 'the end comes once')
        if (reasoning) assert.equal(readReasoning(parsed), reasoning, reply.text)
      })

  test('a signed call returns with its signature from clients of other protocols', async () => {
    const at = responses.findIndex(({ name }) => name === 'a signed call')
    const model = `openai-chat/answer-${at}`
    const call = { type: 'tool_use', id: 'call_a', name: 'read', input: {} }
    const result = { type: 'tool_result', tool_use_id: 'call_a', content: 'x' }
    const first = await recorded.service.ask('POST', '/messages', { body: { ...doors.messages.body, model } })
    const [thought] = first.body.content
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [thought, call] },
      { role: 'user', content: [result] },
    ]
    await recorded.service.ask('POST', '/messages', { body: { max_tokens: 50, messages, model } })
    const [, sent] = recorded.upstream.requests.at(-1)!.body.messages
    assert.deepEqual(sent.tool_calls[0].extra_content, { google: { thought_signature: 'SIG' } })
    assert.equal(sent.reasoning_details, undefined)
  })

  test('signed reasoning in blocks returns in blocks from clients of every protocol', async () => {
    const at = responses.findIndex(({ name }) => name === 'signed reasoning in blocks, as LiteLLM sends it')
    const model = `openai-chat/answer-${at}`
    const ask = (path: string, body: object) => recorded.service.ask('POST', path, { body: { ...body, model } })
    const question = { role: 'user', content: 'Hi' }
    const whole = { ...doors.messages.body, stream: false }
    const first = await ask('/messages', whole)
    await ask('/messages', {
      ...whole,
      messages: [question, { role: 'assistant', content: first.body.content }, question],
    })
    const { choices } = (await ask('/chat/completions', doors.chat.body)).body
    const { thinking_blocks: _, ...message } = choices[0].message
    await ask('/chat/completions', { messages: [question, message, question] })
    const { output } = (await ask('/responses', doors.responses.body)).body
    await ask('/responses', { input: [question, ...output, question] })
    for (const { body } of recorded.upstream.requests.filter(({ body }) => body.messages?.length === 3).slice(-3)) {
      assert.deepEqual(body.messages[1].thinking_blocks, [{ type: 'thinking', thinking: 'Hm', signature: 'SIG' }])
      assert.equal(body.messages[1].reasoning_details, undefined)
    }
  })

  test('the usage of a passed-through response has all counts that clients require', async () => {
    const at = responses.findIndex(({ name }) => name === 'usage with null counts')
    const body = { ...doors.responses.body, model: `openai-responses/answer-${at}`, stream: true }
    const { text } = await recorded.service.ask('POST', '/responses', { body })
    const { usage } = JSON.parse(text.slice(text.lastIndexOf('data: ') + 'data: '.length)).response
    assert.deepEqual(
      [usage.input_tokens_details, usage.output_tokens_details, usage.total_tokens],
      [{ cached_tokens: 0 }, { reasoning_tokens: 0 }, 6],
    )
  })

  for (const [at, { name, protocol, status, words }] of unusableResponses.entries())
    test(`${protocol}: ${name} is an error`, async () => {
      const body = { ...doors.chat.body, model: `${protocol}/unusable-${at}`, stream: true }
      const reply = await recorded.service.ask('POST', '/chat/completions', { body })
      assert.deepEqual([reply.status, reply.body.error.metadata.raw], [status, words])
    })

  test('an error in the middle of a stream has the words of its provider', async () => {
    for (const door of Object.values(doors)) {
      const body = { ...door.body, model: 'openai-chat/broken', stream: true }
      const { text } = await recorded.service.ask('POST', door.path, { body })
      assert.match(text, /slow down/)
    }
  })

  test('a response that ends with the mark alone has no reason of the provider', async () => {
    const at = oddResponses.findIndex(({ name }) => name === 'the end mark without a finish reason')
    const body = { ...doors.chat.body, model: `openai-chat/answer-${at}`, stream: true }
    const { text, headers } = await recorded.service.ask('POST', '/chat/completions', { body })
    assert.doesNotMatch(text, /native_finish_reason/)
    const id = headers.get('x-generation-id')
    const generation = await until(async () => {
      const reply = await recorded.service.ask('GET', `/generation?id=${id}`)
      return reply.status === 200 && reply.body.data
    })
    assert.deepEqual([generation.finish_reason, generation.native_finish_reason], ['stop', null])
  })

  test('the words of an error are found wherever a server writes them', async () => {
    for (const [at, [, words]] of oddErrors.entries()) {
      const body = { ...doors.chat.body, model: `openai-chat/error-${at}` }
      const reply = await recorded.service.ask('POST', '/chat/completions', { body })
      assert.deepEqual([reply.status, reply.body.error.message], [400, words])
    }
  })
})
