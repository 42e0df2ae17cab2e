import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { upstreamProtocols } from '../harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithUpstream } from '../harness/upstream/recorded-providers.ts'

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
const choices = ['one', 'two'].map((content, index) => ({ index, message: { role: 'assistant', content } }))
const whole = { choices: choices.map((choice) => ({ ...choice, finish_reason: 'stop' })), usage }
const streamed = [
  ...choices.map(({ index, message: delta }) => ({ choices: [{ index, delta, finish_reason: null }] })),
  ...choices.map(({ index }) => ({ choices: [{ index, delta: {}, finish_reason: 'stop' }] })),
  { choices: [], usage },
]

describe('a request for more than one response', () => {
  let world: RecordedProviders
  before(async () => {
    world = await startWithUpstream(
      ({ body: { stream } }) =>
        stream
          ? {
              status: 200,
              type: 'text/event-stream',
              body: [...streamed.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((d) => `data: ${d}\n\n`).join(''),
            }
          : { status: 200, type: 'application/json', body: JSON.stringify(whole) },
      ['m'],
    )
  })
  after(() => world[Symbol.asyncDispose]())
  const messages = [{ role: 'user', content: 'Hi' }]
  const chat = (body: object) => world.service.ask('POST', '/chat/completions', { body: { messages, ...body } })

  test('is passed to a chat provider, and all responses reach the client', async () => {
    const { body } = await chat({ model: 'openai-chat/m', n: 2 })
    assert.deepEqual(
      body.choices.map(({ message }: { message: { content: string } }) => message.content),
      ['one', 'two'],
    )
    const { text } = await chat({ model: 'openai-chat/m', n: 2, stream: true })
    assert.match(text, /"one".*"two".*"stop".*"stop".*\[DONE\]/s)
    assert.equal(world.upstream.requests.at(-1)!.body.n, 2)
  })

  test('is refused with 400 for a provider that supports one response', async () => {
    const requestCount = world.upstream.requests.length
    for (const protocol of upstreamProtocols.filter((protocol) => protocol !== 'openai-chat')) {
      const { status, body } = await chat({ model: `${protocol}/m`, n: 2 })
      assert.deepEqual([status, /^n: no available endpoint /.test(body.error.message)], [400, true], protocol)
      assert.equal(body.error.metadata.excluded[0].reason, 'one_answer')
    }
    const response = await world.service.ask('POST', '/responses', {
      body: { model: 'openai-chat/m', input: 'Hi', n: 2 },
    })
    assert.equal(response.status, 400, response.text)
    assert.equal(world.upstream.requests.length, requestCount)
  })

  test('skips endpoints that return one response for one that returns all', async () => {
    const models = ['anthropic-messages/m', 'openai-chat/m']
    const { status, body } = await chat({ models, n: 2 })
    assert.deepEqual([status, body.choices?.length], [200, 2])
  })

  test('for one is answered by all', async () => {
    for (const protocol of upstreamProtocols) {
      const { body } = await chat({ model: `${protocol}/m`, n: 1 })
      assert.notEqual(body.error?.code, 400, protocol)
    }
  })
})

const call = (more: object, name?: string, text = '') => ({
  ...more,
  type: 'function',
  function: { ...(name && { name }), arguments: text },
})
const delta = (index: number, tool_calls: object[]) => ({ index, delta: { tool_calls }, finish_reason: null })
const end = (index: number, finish_reason = 'tool_calls') => ({ index, delta: {}, finish_reason })
/** Two choices whose calls have the same numbers, and are filled in turns. */
const interleaved = [
  [delta(0, [call({ index: 0, id: 'a' }, 'read', '{"path":')])],
  [delta(1, [call({ index: 0, id: 'b' }, 'read', '{"path"')])],
  [delta(0, [call({ index: 0, id: 'a' }, 'read', '"a"')]), delta(1, [call({ index: 0 }, undefined, ':"b"}')])],
  [delta(1, [call({ index: 0, id: 'c' }, 'list', '{}')])],
  [delta(0, [call({ index: 0, id: 'a' }, 'read', '}')])],
  [end(1, 'tool_use'), end(0)],
]
const wholeCalls = [
  { index: 0, message: { role: 'assistant', tool_calls: [call({ id: 'a' }, 'read', '{"path":"a"}')] } },
  { index: 1, message: { role: 'assistant', tool_calls: [call({}, 'read', '{"path":"b"}'), call({}, 'list')] } },
]

test('the tool calls of several responses are repaired, each in its response', async () => {
  const chunks = [...interleaved.map((of) => ({ id: 'c', choices: of })), { id: 'c', choices: [], usage }]
  const body = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('')
  const response = { id: 'c', choices: wholeCalls.map((of) => ({ ...of, finish_reason: 'tool_calls' })), usage }
  await using world = await startWithUpstream(
    ({ body: { stream } }) =>
      stream
        ? { status: 200, type: 'text/event-stream', body }
        : { status: 200, type: 'application/json', body: JSON.stringify(response) },
    ['m'],
  )
  const request = { model: 'openai-chat/m', n: 2, messages: [{ role: 'user', content: 'Hi' }] }
  const { text } = await world.service.ask('POST', '/chat/completions', { body: { ...request, stream: true } })
  const calls: string[][][] = [[], []]
  const ends: string[] = []
  for (const [, data] of text.matchAll(/^data: (\{.*)$/gm))
    for (const { index, delta, finish_reason } of JSON.parse(data!).choices) {
      ends[index] = finish_reason ?? ends[index]
      for (const {
        index: at,
        id = '',
        function: { name = '', arguments: piece },
      } of delta.tool_calls ?? []) {
        const [before = ['', '', '']] = [calls[index]![at]]
        calls[index]![at] = [before[0] + id, before[1] + name, before[2] + piece]
      }
    }
  const first = [['a', 'read', '{"path":"a"}']]
  assert.deepEqual(calls, [
    first,
    [
      ['b', 'read', '{"path":"b"}'],
      ['c', 'list', '{}'],
    ],
  ])
  assert.deepEqual(ends, ['tool_calls', 'tool_calls'])
  const whole = await world.service.ask('POST', '/chat/completions', { body: request })
  const callsOf = ({ message }: any) =>
    message.tool_calls.map(({ id, function: { name, arguments: args } }: any) => [id, name, args])
  assert.deepEqual(whole.body.choices.map(callsOf), [
    first,
    [
      ['call_c_1_0', 'read', '{"path":"b"}'],
      ['call_c_1_1', 'list', '{}'],
    ],
  ])
})
