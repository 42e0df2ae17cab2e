import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Protocol } from '#platform/core/vocabulary.ts'
import { SseReader } from '#platform/net/sse.ts'
import type { Reply } from '#test/harness/service/service.ts'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { parseRequest } from '#test/harness/upstream/scripted-upstream.ts'
import { type Door, doors, streamReaders, type Understood } from '../tool-calls/clients.ts'

const a = '{"path":"a"}'
const b = '{"path":"b"}'
const two = [
  ['call_a', 'read', a],
  ['call_b', 'read', b],
]
const one = two.slice(0, 1)
const called = (more: object, name?: string, text?: string) => ({
  ...more,
  function: { ...(name && { name }), ...(text !== undefined && { arguments: text }) },
})
const [first, second] = [
  { index: 0, id: 'call_a', type: 'function' },
  { index: 1, id: 'call_b', type: 'function' },
]

/** Streams of tool calls, each chunk as its `delta`, and what every client must understand. */
const chatStreams: Record<string, { deltas: object[]; calls: string[][] }> = {
  'id and name in every piece': {
    deltas: ['', '{"path":', '"a"}'].map((text) => ({ tool_calls: [called(first, 'read', text)] })),
    calls: one,
  },
  'two calls under one number': {
    deltas: [{ tool_calls: [called(first, 'read', a)] }, { tool_calls: [called({ ...second, index: 0 }, 'read', b)] }],
    calls: two,
  },
  'two calls without a number in one chunk': {
    deltas: [{ tool_calls: [called({ id: 'call_a' }, 'read', a), called({ id: 'call_b' }, 'read', b)] }],
    calls: two,
  },
  'arguments before the name': {
    deltas: [
      { tool_calls: [called(first, undefined, '{"path":')] },
      { tool_calls: [called({ index: 0 }, 'read', '"a"}')] },
    ],
    calls: one,
  },
  'two calls filled in turns with text in between': {
    deltas: [
      { tool_calls: [called(first, 'read', '')] },
      { tool_calls: [called(second, 'read', '')] },
      { tool_calls: [called({ index: 0 }, undefined, '{"path":')] },
      { content: '\n' },
      { tool_calls: [called({ index: 1 }, undefined, '{"path":')] },
      { reasoning_content: 'Hm' },
      { tool_calls: [called({ index: 0 }, undefined, '"a"}')] },
      { tool_calls: [called({ index: 1 }, undefined, '"b"}')] },
    ],
    calls: two,
  },
  'no arguments': { deltas: [{ tool_calls: [called(first, 'read', '')] }], calls: [['call_a', 'read', '{}']] },
}

const event = (type: string, more: object) => ({ type, ...more })
const callItem = (args: string) => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_a',
  name: 'read',
  arguments: args,
})
const completed = (output: object[]) =>
  event('response.completed', {
    response: { id: 'r', status: 'completed', output, usage: { input_tokens: 1, output_tokens: 1 } },
  })
const created = event('response.created', { response: { id: 'r', model: 'm' } })
const responseStreams: Record<string, { events: object[]; calls: string[][]; text?: string }> = {
  'arguments that only their closing event has': {
    events: [
      created,
      event('response.output_item.added', { output_index: 0, item: callItem('') }),
      event('response.function_call_arguments.done', { output_index: 0, item_id: 'fc_1', arguments: a }),
      completed([callItem(a)]),
    ],
    calls: one,
  },
  'a call and a text that only the end has': {
    events: [created, completed([{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }, callItem(a)])],
    calls: one,
    text: 'Hi',
  },
}

const source = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 4 }
const cited = {
  type: 'message',
  id: 'msg_1',
  content: [{ type: 'output_text', text: 'Rome is old.', annotations: [source] }],
}
const citedStream = [
  created,
  event('response.output_item.added', { output_index: 0, item: { ...cited, content: [] } }),
  event('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'Rome is old.' }),
]
const citedStreams: Record<string, object[]> = {
  'sources of a done item': [
    ...citedStream,
    event('response.output_item.done', { output_index: 0, item: cited }),
    completed([]),
  ],
  'sources of the whole response': [...citedStream, completed([cited])],
}

const block = (content_block: object) => event('content_block_start', { index: 0, content_block })
const messageStreams: Record<string, { events: object[]; calls: string[][] }> = {
  'an empty input': {
    events: [
      block({ type: 'tool_use', id: 'call_a', name: 'read', input: {} }),
      event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: '' } }),
    ],
    calls: [['call_a', 'read', '{}']],
  },
  'an input that only the opening event has': {
    events: [block({ type: 'tool_use', id: 'call_a', name: 'read', input: { path: 'a' } })],
    calls: one,
  },
}

const sse = (events: object[]) => events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
})
const chatSse = (deltas: object[], finish = 'tool_calls') =>
  `${sse([chunk({ role: 'assistant' }), ...deltas.map((delta) => chunk(delta)), chunk({}, finish)])}data: [DONE]\n\n`

const scenarios = [chatStreams, responseStreams, messageStreams, citedStreams].flatMap(Object.keys)
const cut = ['cut-tool_calls', 'cut-length', 'cut-at-limit']

function streamOf(protocol: Protocol, name: string): string {
  if (name.startsWith('cut')) {
    const finish = name === 'cut-length' ? 'length' : 'tool_calls'
    return chatSse([{ tool_calls: [called(first, 'read', '{"city": "ari')] }], finish)
  }
  if (protocol === 'openai-chat') return chatSse(chatStreams[name]!.deltas)
  if (citedStreams[name]) return sse(citedStreams[name])
  if (protocol === 'openai-responses') return sse(responseStreams[name]!.events)
  const start = event('message_start', {
    message: { id: 'm', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } },
  })
  const end = [
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } }),
    event('message_stop', {}),
  ]
  return sse([start, ...messageStreams[name]!.events, ...end])
}

function wholeCut(name: string): string {
  const message = { role: 'assistant', content: null, tool_calls: [called(first, 'read', '{"city": "ari')] }
  const finish_reason = name === 'cut-length' ? 'length' : 'tool_calls'
  const completion_tokens = name === 'cut-at-limit' ? 50 : 5
  const usage = { prompt_tokens: 1, completion_tokens, total_tokens: 1 + completion_tokens }
  return JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason }],
    usage,
  })
}

describe('tool calls at every door', () => {
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithUpstream(
      (received) => {
        const { protocol, name: model, streamed } = parseRequest(received)
        const name = scenarios.find((one) => one.replaceAll(' ', '-') === model) ?? model
        return streamed
          ? { status: 200, type: 'text/event-stream', body: streamOf(protocol, name) }
          : { status: 200, type: 'application/json', body: wholeCut(name) }
      },
      [...scenarios, ...cut].map((name) => name.replaceAll(' ', '-')),
    )
  })
  after(() => recorded[Symbol.asyncDispose]())

  const ask = (door: Door, model: string, stream: boolean): Promise<Reply> =>
    recorded.service.ask('POST', doors[door].path, { body: { ...doors[door].body, model, stream } })
  const eventsIn = ({ text }: Reply) =>
    new SseReader().push(Buffer.from(text)).flatMap(({ data }) => (data.startsWith('{') ? [JSON.parse(data)] : []))

  async function understood(door: Door, protocol: string, name: string): Promise<Understood> {
    const reply = await ask(door, `${protocol}/${name.replaceAll(' ', '-')}`, true)
    assert.equal(reply.status, 200, reply.text)
    return streamReaders[door](eventsIn(reply))
  }

  for (const door of Object.keys(doors) as Door[]) {
    for (const [name, { calls }] of Object.entries(chatStreams))
      test(`${door} on a chat upstream: ${name}`, async () => {
        assert.deepEqual((await understood(door, 'openai-chat', name)).calls, calls)
      })
    for (const [name, { calls, text = '' }] of Object.entries(responseStreams))
      test(`${door} on a responses upstream: ${name}`, async () => {
        const result = await understood(door, 'openai-responses', name)
        assert.deepEqual([result.calls, result.text], [calls, text])
      })
    for (const [name, { calls }] of Object.entries(messageStreams))
      test(`${door} on a messages upstream: ${name}`, async () => {
        assert.deepEqual((await understood(door, 'anthropic-messages', name)).calls, calls)
      })

    test(`${door} on a responses upstream: sources that only closing events have`, async () => {
      for (const name of ['sources of a done item', 'sources of the whole response']) {
        const { text } = await ask(door, `openai-responses/${name.replaceAll(' ', '-')}`, true)
        assert.ok(text.includes('https://a.example'), text)
      }
    })

    test(`${door}: arguments that are cut are an error`, async () => {
      const whole = await ask(door, 'openai-chat/cut-tool_calls', false)
      assert.equal(whole.status, 502, whole.text)
      const streamed = await ask(door, 'openai-chat/cut-tool_calls', true)
      assert.match(streamed.text, /cannot be read/)
    })

    test(`${door}: arguments that are cut at the limit are a truncated response`, async () => {
      const ends = { chat: 'length', responses: 'incomplete', messages: 'max_tokens' } as Record<string, string>
      assert.equal((await understood(door, 'openai-chat', 'cut-length')).end, ends[door])
      for (const name of ['cut-length', 'cut-at-limit']) {
        const { body, text } = await ask(door, `openai-chat/${name}`, false)
        assert.equal(body.choices?.[0].finish_reason ?? body.status ?? body.stop_reason, ends[door], text)
      }
    })
  }
})
