import type { Protocol } from '#platform/core/vocabulary.ts'
import type { Door } from '../../tool-calls/clients.ts'

/** A server's response, and how every client must understand it: name and arguments of each call, text, and end. */
export type OddResponse = {
  name: string
  protocol: Protocol
  reply: { body: string; type?: string }
  calls?: string[][]
  text?: string
  end: Record<Door, string>
  /** The client protocol that gets the bytes of the server unchanged. */
  not?: Door
  /** The client asks for a whole response. */
  whole?: true
  /** The request declares the tool `read`. */
  hasTools?: true
  reasoning?: string
}

const a = '{"path":"a"}'
const b = '{"path":"b"}'
const called = { chat: 'tool_calls', responses: 'completed', messages: 'tool_use' }
const stopped = { chat: 'stop', responses: 'completed', messages: 'end_turn' }

const sse = (events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const done = 'data: [DONE]\n\n'
const choice = (more: object) => ({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...more }] })
const delta = (delta: object, finish_reason: string | null = null) => choice({ delta, finish_reason })
const call = { id: 'call_a', type: 'function', function: { name: 'read', arguments: a } }
const hello = sse([delta({ role: 'assistant', content: 'Hel' }), delta({ content: 'lo' }), delta({}, 'stop')]) + done

const response = { id: 'r', status: 'completed', output: [], usage: { input_tokens: 1, output_tokens: 1 } }
const parts = (functionCalls: object[], more: object = {}) => ({
  candidates: [{ content: { parts: functionCalls.map((functionCall) => ({ functionCall })) }, ...more }],
})

const message = { role: 'assistant', content: 'Hi', tool_calls: [call] }
const item = { type: 'function_call', id: 'fc_1', call_id: 'call_a', name: 'read', arguments: a }
const added = (more: object) => ({
  type: 'response.output_item.added',
  output_index: 0,
  item: { ...item, arguments: '', ...more },
})
const itemDone = (more: object) => ({ type: 'response.output_item.done', output_index: 0, item: { ...item, ...more } })
const otherItem = { ...item, id: 'fc_2', call_id: 'call_b', arguments: b }
const partial = (output_index: number | undefined, item_id: string, delta: string) => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  item_id,
  delta,
})
const messageItem = (id: string, text: string) => ({
  type: 'message',
  id,
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})
const created = { type: 'response.created', response }
const completed = (...output: object[]) => ({ type: 'response.completed', response: { ...response, output } })
const wholeChat = (message: object | undefined, finish_reason: string) => ({
  type: 'application/json',
  body: JSON.stringify({ id: 'c', object: 'chat.completion', choices: [{ index: 0, message, finish_reason }] }),
})
const messageStream = (content_block: object, partial: unknown[], stop_reason: string) =>
  sse([
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block },
    ...partial.map((partial_json) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ])
const use = { type: 'tool_use', id: 'call_a', name: 'read', input: {} }
const twice = { ...call, function: { name: 'read', arguments: JSON.stringify(a) } }
const callPieces = (...pieces: object[]) =>
  sse([...pieces.map((piece) => delta({ tool_calls: [{ index: 0, ...piece }] })), delta({}, 'tool_calls')]) + done
const calling = { name: 'read', arguments: '{"path":' }
export const oddResponses: OddResponse[] = [
  {
    name: 'a stream of one event with the whole message',
    protocol: 'openai-chat',
    reply: { body: sse([choice({ message, finish_reason: 'tool_calls' })]) + done },
    calls: [['read', a]],
    text: 'Hi',
    end: called,
  },
  {
    name: 'calls in the field before tool_calls',
    protocol: 'openai-chat',
    reply: {
      body:
        sse([
          delta({ function_call: calling }),
          delta({ function_call: { arguments: '"a"}' } }),
          delta({}, 'function_call'),
        ]) + done,
    },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'the end mark without a finish reason',
    protocol: 'openai-chat',
    reply: { body: sse([delta({ content: 'Hi' })]) + done },
    text: 'Hi',
    end: stopped,
  },
  {
    name: 'the end mark after a call without a finish reason',
    protocol: 'openai-chat',
    reply: { body: sse([delta({ tool_calls: [{ index: 0, ...call }] }, '')]) + done },
    calls: [['read', a]],
    end: called,
  },
  ...['application/json', 'text/plain', 'application/octet-stream'].map(
    (type): OddResponse => ({
      name: `a stream of type ${type}`,
      protocol: 'openai-chat',
      reply: { body: `\ufeff: hello\n\n${hello}`, type },
      text: 'Hello',
      end: stopped,
    }),
  ),
  {
    name: 'a stream of type text/plain for a whole response',
    protocol: 'openai-chat',
    reply: { body: hello, type: 'text/plain' },
    text: 'Hello',
    end: stopped,
    whole: true,
  },
  {
    name: 'text and calls in separate choices of a whole response',
    protocol: 'openai-chat',
    reply: {
      type: 'application/json',
      body: JSON.stringify({
        id: 'c',
        choices: [
          { message: { role: 'assistant', content: 'Hello' }, finish_reason: 'tool_calls' },
          { message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' },
        ],
      }),
    },
    whole: true,
    text: 'Hello',
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'text and calls in separate choices of a stream',
    protocol: 'openai-chat',
    reply: {
      body:
        sse([
          delta({ role: 'assistant', content: 'Hello' }),
          { ...choice({}), choices: [{ index: '1', delta: { tool_calls: [{ index: 0, ...call }] } }] },
          delta({}, 'tool_calls'),
        ]) + done,
    },
    text: 'Hello',
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'the whole message in the first event',
    protocol: 'anthropic-messages',
    reply: {
      body: sse([
        { type: 'message_start', message: { id: 'm', content: [{ type: 'text', text: 'Hello' }], usage: {} } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { input_tokens: 1, output_tokens: 1 } },
        { type: 'message_stop' },
      ]),
    },
    text: 'Hello',
    end: stopped,
  },
  {
    name: 'choices of a content filter without a delta',
    protocol: 'openai-chat',
    reply: {
      body: sse([
        delta({ role: 'assistant', content: 'Hello' }),
        choice({ finish_reason: null, content_filter_results: {}, content_filter_offsets: { check_offset: 44 } }),
        delta({}, 'stop'),
      ]),
    },
    text: 'Hello',
    end: stopped,
  },
  ...[undefined, null].map(
    (output): OddResponse => ({
      name: `a response with the output ${output} at its end`,
      protocol: 'openai-responses',
      reply: {
        body: sse([
          created,
          { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'm', delta: 'Hello' },
          { type: 'response.output_item.done', output_index: 0, item: messageItem('m', 'Hello') },
          { type: 'response.completed', response: { ...response, output } },
        ]),
      },
      text: 'Hello',
      end: stopped,
    }),
  ),

  {
    name: 'a text that only the end of its part has',
    protocol: 'openai-responses',
    reply: {
      body: sse([
        { type: 'response.created', response },
        {
          type: 'response.content_part.done',
          output_index: 0,
          content_index: 0,
          part: { type: 'output_text', text: 'Hi' },
        },
        { type: 'response.completed', response },
      ]),
    },
    text: 'Hi',
    end: stopped,
    not: 'responses',
  },
  {
    name: 'a call that ends with the reason stop',
    protocol: 'openai-chat',
    reply: { body: sse([delta({ tool_calls: [{ index: 0, ...call }] }), delta({}, 'stop')]) + done },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'a whole call that ends with the reason stop',
    protocol: 'openai-chat',
    reply: wholeChat(message, 'stop'),
    calls: [['read', a]],
    text: 'Hi',
    end: called,
    whole: true,
  },
  {
    name: 'the reason tool_calls without a call',
    protocol: 'openai-chat',
    reply: { body: sse([delta({ content: 'Hi' }), delta({}, 'tool_calls')]) + done },
    text: 'Hi',
    end: stopped,
  },
  {
    name: 'a call after its end',
    protocol: 'openai-chat',
    reply: { body: sse([delta({}, 'tool_calls'), delta({ tool_calls: [{ index: 0, ...call }] })]) + done },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'a call that only the message at the end has',
    protocol: 'openai-chat',
    reply: {
      body: sse([delta({ content: 'Hi' }), choice({ delta: {}, message, finish_reason: 'tool_calls' })]) + done,
    },
    calls: [['read', a]],
    text: 'Hi',
    end: called,
  },
  {
    name: 'a call that the message at the end repeats',
    protocol: 'openai-chat',
    reply: {
      body:
        sse([
          delta({ content: 'Hi' }),
          delta({ tool_calls: [{ index: 0, ...call }] }),
          choice({ delta: {}, message, finish_reason: 'tool_calls' }),
        ]) + done,
    },
    calls: [['read', a]],
    text: 'Hi',
    end: called,
  },
  {
    name: 'a call in both fields',
    protocol: 'openai-chat',
    reply: {
      body:
        sse([delta({ function_call: call.function, tool_calls: [{ index: 0, ...call }] }), delta({}, 'tool_calls')]) +
        done,
    },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'null among the calls',
    protocol: 'openai-chat',
    reply: { body: sse([delta({ tool_calls: [null, { index: 0, ...call }] }), delta({}, 'tool_calls')]) + done },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'a call without a list',
    protocol: 'openai-chat',
    reply: { body: sse([delta({ tool_calls: { index: 0, ...call } }), delta({}, 'tool_calls')]) + done },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'null before the arguments',
    protocol: 'openai-chat',
    reply: {
      body:
        sse([
          delta({ tool_calls: [{ index: 0, ...call, function: { name: 'read', arguments: 'null' } }] }),
          delta({ tool_calls: [{ index: 0, function: { arguments: a } }] }),
          delta({}, 'tool_calls'),
        ]) + done,
    },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'a name in parts',
    protocol: 'openai-chat',
    reply: {
      body: callPieces(
        { id: 'call_a', function: { name: 're' } },
        { function: { name: 'ad' } },
        { function: { arguments: a } },
      ),
    },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'an empty object before the arguments',
    protocol: 'openai-chat',
    reply: {
      body: callPieces({ ...call, function: { name: 'read', arguments: '{}' } }, { function: { arguments: a } }),
    },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'an empty object alone',
    protocol: 'openai-chat',
    reply: { body: callPieces({ ...call, function: { name: 'read', arguments: '{}' } }) },
    calls: [['read', '{}']],
    end: called,
  },
  {
    name: 'all arguments so far in each event',
    protocol: 'openai-chat',
    reply: {
      body: callPieces(
        ...[4, 9, a.length].map((length) => ({ ...call, function: { name: 'read', arguments: a.slice(0, length) } })),
      ),
    },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'arguments that are encoded twice',
    protocol: 'openai-chat',
    reply: { body: sse([delta({ tool_calls: [{ index: 0, ...twice }] }), delta({}, 'tool_calls')]) + done },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'whole arguments that are encoded twice',
    protocol: 'openai-chat',
    reply: wholeChat({ ...message, tool_calls: [twice] }, 'tool_calls'),
    calls: [['read', a]],
    text: 'Hi',
    end: called,
    whole: true,
  },
  {
    name: 'a text as the finish reason of each event',
    protocol: 'openai-chat',
    reply: {
      body: sse([delta({ content: 'Hel' }, 'null'), delta({ content: 'lo' }, 'null'), delta({}, 'stop')]) + done,
    },
    text: 'Hello',
    end: stopped,
  },
  {
    name: 'events without an object, and choices of null',
    protocol: 'openai-chat',
    reply: { body: `data: ping\n\ndata: null\n\n${sse([{ id: 'c', choices: null }])}${hello}` },
    text: 'Hello',
    end: stopped,
  },
  {
    name: 'an object as arguments of an item',
    protocol: 'openai-responses',
    reply: { body: sse([created, added({}), itemDone({ arguments: { path: 'a' } }), completed({ ...item })]) },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'an id of the call that only its end has',
    protocol: 'openai-responses',
    reply: { body: sse([created, added({ call_id: undefined }), itemDone({}), completed(item)]) },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'another id of the item in each event',
    protocol: 'openai-responses',
    reply: { body: sse([created, added({ id: 'x' }), itemDone({ id: 'y' }), completed({ ...item, id: 'z' })]) },
    calls: [['read', a]],
    end: called,
    not: 'responses',
  },
  {
    name: 'other ids of the call in each event',
    protocol: 'openai-responses',
    reply: {
      body: sse([
        created,
        added({ id: 'x', call_id: 'call_x' }),
        partial(0, 'y', a),
        itemDone({ id: 'z', call_id: 'call_z' }),
        completed(item),
      ]),
    },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'calls that are not announced',
    protocol: 'openai-responses',
    reply: {
      body: sse([created, partial(0, 'fc_1', a), partial(1, 'fc_2', b), completed(item, otherItem)]),
    },
    calls: [
      ['read', a],
      ['read', b],
    ],
    end: called,
  },
  {
    name: 'calls that are not announced and have no number',
    protocol: 'openai-responses',
    reply: {
      body: sse([
        created,
        partial(undefined, 'fc_1', a.slice(0, 4)),
        partial(undefined, 'fc_2', b.slice(0, 4)),
        partial(undefined, 'fc_1', a.slice(4)),
        partial(undefined, 'fc_2', b.slice(4)),
        completed(item, otherItem),
      ]),
    },
    calls: [
      ['read', a],
      ['read', b],
    ],
    end: called,
  },
  {
    name: 'a text that only the whole response has, after another',
    protocol: 'openai-responses',
    reply: {
      body: sse([
        created,
        { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'm', delta: 'Hi' },
        completed(messageItem('n', 'Hi'), messageItem('o', ' you')),
      ]),
    },
    text: 'Hi you',
    end: stopped,
    not: 'responses',
  },
  {
    name: 'an object as input of a block',
    protocol: 'anthropic-messages',
    reply: { body: messageStream(use, [{ path: 'a' }], 'tool_use') },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'a call that ends the turn',
    protocol: 'anthropic-messages',
    reply: { body: messageStream(use, [a], 'end_turn') },
    calls: [['read', a]],
    end: called,
  },
  {
    name: 'the reason tool_use without a call',
    protocol: 'anthropic-messages',
    reply: { body: messageStream({ type: 'text', text: '' }, [], 'tool_use') },
    end: stopped,
  },
  {
    name: 'a call after its end',
    protocol: 'google-gemini',
    reply: {
      body: sse([
        { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] },
        parts([{ name: 'read', args: { path: 'a' } }]),
      ]),
    },
    calls: [['read', a]],
    text: 'Hi',
    end: called,
  },
  {
    name: 'arguments in parts',
    protocol: 'google-gemini',
    reply: {
      body: sse([
        parts([{ name: 'read', willContinue: true }]),
        parts([
          { partialArgs: [{ jsonPath: '$.path', stringValue: 'a"', willContinue: true }], willContinue: true },
          { partialArgs: [{ jsonPath: '$.path', stringValue: 'b' }], willContinue: true },
          { partialArgs: [{ jsonPath: "$.list[0]['x.y']", numberValue: 0 }], willContinue: true },
          { partialArgs: [{ jsonPath: '$.list[1].__proto__', boolValue: false }], willContinue: true },
          { partialArgs: [{ jsonPath: '$["n"]', nullValue: 'NULL_VALUE' }], willContinue: true },
        ]),
        parts([{}]),
        parts([{ name: 'read', args: { path: 'b' } }], { finishReason: 'STOP' }),
      ]),
    },
    calls: [
      ['read', '{"path":"a\\"b","list":[{"x.y":0},{"__proto__":false}],"n":null}'],
      ['read', b],
    ],
    end: called,
  },
  {
    name: 'two calls with the same id',
    protocol: 'google-gemini',
    reply: {
      body: sse([
        parts([{ id: 'x', name: 'read', args: { path: 'a' } }]),
        parts([{ id: 'x', name: 'read', args: { path: 'b' } }], { finishReason: 'STOP' }),
      ]),
    },
    calls: [
      ['read', a],
      ['read', b],
    ],
    end: called,
  },
]
