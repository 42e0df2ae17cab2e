import type { Protocol } from '#platform/core/vocabulary.ts'
import type { OddResponse } from './loose-upstreams.ts'

const stopped = { chat: 'stop', responses: 'completed', messages: 'end_turn' }
const called = { chat: 'tool_calls', responses: 'completed', messages: 'tool_use' }
const a = '{"path":"a"}'
const done = 'data: [DONE]\n\n'
const choice = (more: object) => ({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...more }] })
const chunk = (delta: unknown, finish_reason: unknown = null) => choice({ delta, finish_reason })
const lines = (events: (object | string)[]) =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('')
const hello = [chunk({ role: 'assistant', content: 'Hel' }), chunk({ content: 'lo' }), chunk({}, 'stop')]

/** A stream of events. Without an end mark in `end`, it ends with `[DONE]`. */
function stream(name: string, events: (object | string)[], more: Partial<OddResponse> = {}, end = done): OddResponse {
  const body = `${lines(events)}${end}`
  return { name, protocol: 'openai-chat', reply: { body }, text: 'Hello', end: stopped, ...more }
}

function whole(name: string, body: unknown, more: Partial<OddResponse> = {}): OddResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const reply = { type: 'application/json', body: text }
  return { name, protocol: 'openai-chat', reply, text: 'Hello', end: stopped, whole: true, ...more }
}

/** A whole completion with these fields of the message. */
const message = (name: string, members: object, more: Partial<OddResponse> = {}) =>
  whole(
    name,
    {
      id: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content: null, ...members }, finish_reason: 'stop' }],
    },
    more,
  )
const read = { calls: [['read', a]], end: called }

/** Events whose type is only in their name. */
function nameOnly(protocol: Protocol, events: { type: string }[]): OddResponse {
  const body = events.map(({ type, ...data }) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`).join('')
  return { name: `${protocol}: types in the names of events`, protocol, reply: { body }, text: 'Hello', end: stopped }
}

const started = {
  type: 'message_start',
  message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
}
const messageEvents = (stop_reason: string) => [
  started,
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
]
const response = { id: 'r', object: 'response', status: 'completed', usage: { input_tokens: 1, output_tokens: 1 } }
const created = { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } }
const textPart = { type: 'output_text', text: 'Hello', annotations: [] }
const item = { type: 'message', id: 'm', role: 'assistant', content: [textPart] }
const completed = { type: 'response.completed', response: { ...response, output: [item] } }
const delta = (type: string, delta: unknown) => ({ type, item_id: 'm', output_index: 0, content_index: 0, delta })
const responses = (name: string, output: unknown, more: Partial<OddResponse> = {}) =>
  whole(name, { ...response, output }, { protocol: 'openai-responses', ...more })
const anthropic = (name: string, content: unknown, stop_reason = 'end_turn', more: Partial<OddResponse> = {}) => {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const body = { id: 'm', type: 'message', role: 'assistant', content, stop_reason, usage }
  return whole(name, body, { protocol: 'anthropic-messages', ...more })
}
const gemini = { protocol: 'google-gemini' as const }
const parts = (parts: object[], more: object = {}) => ({ content: { role: 'model', parts }, ...more })

/** Responses in other forms than that of their protocol, as some servers and proxies send them. */
export const otherForms: OddResponse[] = [
  ...['data: [done]\n\n', 'data:[DONE]\n\n', 'data:  [DONE] \n\n', 'data: "[DONE]"\n\n', 'data: DONE\n\n'].map((end) =>
    stream(`the end mark ${JSON.stringify(end)}`, hello.slice(0, 2), {}, end),
  ),
  stream('an event named done', hello.slice(0, 2), {}, 'event: done\ndata:\n\n'),
  {
    ...stream('the name of the field twice', []),
    reply: { body: lines(hello).replaceAll('data:', 'data: data:') + done },
  },
  ...['NaN', '-Infinity', 'None'].map((number) => ({
    ...stream(`${number} in a stream`, []),
    reply: { body: lines(hello).replaceAll('null', `null,"logprobs":[${number}]`) + done },
  })),
  whole(
    'NaN in a whole response',
    JSON.stringify(
      choice({ message: { role: 'assistant', content: 'Hello' }, logprobs: 7, finish_reason: 'stop' }),
    ).replace('7', 'NaN'),
  ),
  {
    ...stream('a whole response that is announced as a stream', []),
    reply: {
      body: JSON.stringify(choice({ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' })),
    },
  },
  stream('text as delta', [chunk('Hel'), chunk('lo', 'stop')]),
  stream('text in the field text of the delta', [chunk({ text: 'Hel' }), chunk({ text: 'lo' }, 'stop')]),
  stream('text only in the message at the end', [
    chunk({ role: 'assistant', content: '' }),
    choice({ delta: {}, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }),
  ]),
  stream(
    'a call only in the message at the end',
    [
      chunk({ role: 'assistant', content: '' }),
      choice({
        delta: {},
        message: { role: 'assistant', tool_calls: [{ id: 'call_a', function: { name: 'read', arguments: a } }] },
        finish_reason: 'tool_calls',
      }),
    ],
    { ...read, text: '' },
  ),
  ...[{}, { code: 0, message: '' }, { code: null, innererror: {} }].map((error) =>
    stream(
      `the empty error ${JSON.stringify(error)} in each event`,
      hello.map((event) => ({ ...event, error })),
    ),
  ),
  whole('an empty error in a whole response', {
    ...choice({ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }),
    error: { message: '', type: '', param: '', code: null },
  }),
  stream(
    'a word in brackets between events',
    hello.flatMap((event) => ['[HEARTBEAT]', event]),
  ),
  stream(
    'arguments in the field args',
    [chunk({ tool_calls: [{ index: 0, id: 'x', name: 'read', args: { path: 'a' } }] }), chunk({}, 'tool_calls')],
    { ...read, text: '' },
  ),
  stream('a choice of null', [{ ...chunk({}), choices: [null] } as object, ...hello]),
  ...[{ type: 'stop' }, true, 'FinishReason.STOP', 'STOP_TOKEN', 'done'].map((reason) =>
    stream(`the finish reason ${JSON.stringify(reason)}`, [chunk({ content: 'Hello' }), chunk({}, reason)]),
  ),
  stream(
    'the reason of the end in stop_reason',
    [chunk({ content: 'Hello' }), choice({ delta: {}, stop_reason: 'max_tokens' })],
    {
      end: { chat: 'length', responses: 'incomplete', messages: 'max_tokens' },
    },
  ),
  message('content as a list of texts', { content: ['Hel', 'lo'] }),
  message('content in the field text', { text: 'Hello' }),
  whole('a text as message', { id: 'c', choices: [{ message: 'Hello', finish_reason: 'stop' }] }),
  whole('the delta of a stream in a whole response', choice({ delta: { content: 'Hello' }, finish_reason: 'stop' })),
  whole('one choice without a list', {
    choices: { message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
  }),
  message(
    'a call in the field toolCalls',
    { toolCalls: [{ id: 'x', function: { name: 'read', arguments: a } }] },
    { ...read, text: '' },
  ),
  message(
    'arguments in the field parameters',
    { tool_calls: [{ id: 'x', function: { name: 'read', parameters: { path: 'a' } } }] },
    { ...read, text: '' },
  ),
  message(
    'a call among the parts of the content',
    {
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 'x', name: 'read', input: { path: 'a' } },
      ],
    },
    read,
  ),
  whole('a completion in an envelope', {
    code: 0,
    msg: 'ok',
    data: choice({ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }),
  }),
  whole('a response of Cloudflare', {
    result: { response: 'Hello', usage: {} },
    success: true,
    errors: [],
    messages: [],
  }),
  whole(
    'a call of Cloudflare',
    { result: { response: null, tool_calls: [{ name: 'read', arguments: { path: 'a' } }] }, success: true },
    { ...read, text: '' },
  ),
  stream('a stream of Cloudflare', [{ response: 'Hel', p: 'x' }, { response: 'lo' }, { response: '', usage: {} }]),
  whole(
    'a response of Ollama',
    {
      message: {
        role: 'assistant',
        content: 'Hello',
        tool_calls: [{ function: { name: 'read', arguments: { path: 'a' } } }],
      },
      done: true,
      done_reason: 'stop',
    },
    read,
  ),
  stream(
    'a stream of Ollama',
    [
      { message: { role: 'assistant', content: 'Hel' }, done: false },
      { message: { role: 'assistant', content: 'lo' }, done: true, done_reason: 'stop' },
    ],
    {},
    '',
  ),
  whole('a response of watsonx', { results: [{ generated_text: 'Hello', stop_reason: 'eos_token' }] }),
  whole('a text completion of Anthropic', { type: 'completion', completion: 'Hello', stop_reason: 'stop_sequence' }),
  whole('a response of Replicate', { id: 'x', status: 'succeeded', output: ['Hel', 'lo'] }),
  whole('a response of an agent of Databricks', { messages: [{ role: 'assistant', content: 'Hello', id: 'x' }] }),
  whole(
    'one part without a list',
    { candidates: [{ content: { parts: { text: 'Hello' } }, finishReason: 'STOP' }] },
    gemini,
  ),
  whole(
    'a content in a list',
    { candidates: [{ content: [{ role: 'model', parts: [{ text: 'Hello' }] }], finishReason: 'STOP' }] },
    gemini,
  ),
  whole('a response of text-generation-inference', [{ generated_text: 'Hello' }]),
  whole('a response of DashScope', { output: { text: 'Hello', finish_reason: 'stop' }, request_id: 'x' }),
  whole(
    'a response of Bedrock',
    {
      output: {
        message: {
          role: 'assistant',
          content: [{ text: 'Hello' }, { toolUse: { toolUseId: 'x', name: 'read', input: { path: 'a' } } }],
        },
      },
      stopReason: 'tool_use',
    },
    read,
  ),
  whole('a response of Cohere', {
    finish_reason: 'COMPLETE',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
  }),
  nameOnly('anthropic-messages', messageEvents('end_turn')),
  nameOnly('openai-responses', [created, delta('response.output_text.delta', 'Hello'), completed]),
  ...['response.text.delta', 'response.output_text.delta'].map((type) =>
    stream(
      `an object as delta of ${type}`,
      [created, delta(type, { text: 'Hello' }), completed],
      { protocol: 'openai-responses' },
      '',
    ),
  ),
  whole('the text in output_text alone', { ...response, output_text: 'Hello' }, { protocol: 'openai-responses' }),
  responses('a text as output', 'Hello'),
  responses('an item without a list', item),
  responses('null among the items', [null, item]),
  whole(
    'a response without a status',
    { ...response, status: undefined, output: [item] },
    { protocol: 'openai-responses' },
  ),
  stream(
    'a last event without a status',
    [
      ...[created, delta('response.output_text.delta', 'Hello')],
      { type: 'response.completed', response: { ...response, status: undefined, output: [item] } },
    ],
    { protocol: 'openai-responses' },
    '',
  ),
  responses('an item without a type', [{ role: 'assistant', content: [textPart] }]),
  responses('a text as content of an item', [{ ...item, content: 'Hello' }]),
  anthropic('a text as content of a message', 'Hello'),
  anthropic('a block without a list', { type: 'text', text: 'Hello' }),
  anthropic('a block without a type', [{ text: 'Hello' }]),
  anthropic('null among the blocks', [null, { type: 'text', text: 'Hello' }]),
  ...[0, 3].map((omitted) =>
    stream(
      `a message without ${messageEvents('end_turn')[omitted]!.type}`,
      messageEvents('end_turn').filter((_, at) => at !== omitted),
      { protocol: 'anthropic-messages' },
      '',
    ),
  ),
  anthropic('the stop reason of another protocol', [{ type: 'text', text: 'Hello' }], 'stop'),
  anthropic(
    'a call with the stop reason of another protocol',
    [{ type: 'tool_use', id: 'x', name: 'read', input: { path: 'a' } }],
    'tool_calls',
    { ...read, text: '' },
  ),
  stream(
    'a stream with the stop reason of another protocol',
    messageEvents('length'),
    { protocol: 'anthropic-messages', end: { chat: 'length', responses: 'incomplete', messages: 'max_tokens' } },
    '',
  ),
  whole(
    'names with underscores',
    {
      candidates: [
        parts([{ text: 'Hello' }, { function_call: { name: 'read', args: { path: 'a' } }, thought_signature: 's' }], {
          finish_reason: 'STOP',
        }),
      ],
      usage_metadata: { prompt_token_count: 1 },
    },
    { ...gemini, ...read },
  ),
  stream(
    'names with underscores in a stream',
    [
      { candidates: [parts([{ text: 'Hel' }])] },
      { candidates: [parts([{ text: 'lo' }], { finish_reason: 'MAX_TOKENS' })] },
    ],
    { ...gemini, end: { chat: 'length', responses: 'incomplete', messages: 'max_tokens' } },
    '',
  ),
  whole('a number as finish reason', { candidates: [parts([{ text: 'Hello' }], { finishReason: 1 })] }, gemini),
  stream(
    'an envelope of Code Assist',
    [
      { response: { candidates: [parts([{ text: 'Hel' }])] } },
      { response: { candidates: [parts([{ text: 'lo' }], { finishReason: 'stop' })] } },
    ],
    gemini,
    '',
  ),
  ...(['openai-responses', 'anthropic-messages', 'google-gemini'] as const).flatMap((protocol) => [
    whole(
      `${protocol}: a whole response of chat completions`,
      choice({ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }),
      { protocol },
    ),
    stream(`${protocol}: a stream of chat completions`, hello, { protocol }),
  ]),
  stream('objects without content before the first event', [{ type: 'ping' }, {}, ...hello]),
  stream('a stream of messages from a chat server', messageEvents('end_turn'), {}, ''),
  stream(
    'a stream of responses from a chat server',
    [created, delta('response.output_text.delta', 'Hello'), completed],
    {},
    '',
  ),
  { ...message('the words of speech', { audio: { id: 'a', data: 'AAAA', transcript: 'Hello' } }), not: 'chat' },
  stream(
    'a name in parts with empty arguments, without declared tools',
    [
      chunk({ tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 're', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { name: 'ad', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: a } }] }, 'tool_calls'),
    ],
    { ...read, text: '' },
  ),
  stream('the whole message after its deltas, as MiniMax ends a stream', [
    ...hello,
    {
      ...choice({ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }),
      object: 'chat.completion',
    },
  ]),
  stream(
    'one call at a time without a list',
    [
      chunk({ tool_calls: { index: 0, id: '', type: 'function', function: { name: 'read', arguments: '' } } }),
      chunk({ tool_calls: { index: 0, id: '', type: 'function', function: { name: null, arguments: a } } }),
      chunk({}, 'tool_calls'),
    ],
    { ...read, text: '' },
  ),
  stream('events of Cohere', [
    { type: 'message-start', id: 'm', delta: { message: { role: 'assistant', content: [], tool_calls: [] } } },
    { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
    { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hello' } } } },
    { type: 'content-end', index: 0 },
    {
      type: 'message-end',
      delta: { finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 5, output_tokens: 1 } } },
    },
  ]),
  stream(
    'events of Cohere with a call',
    [
      { type: 'message-start', id: 'm', delta: { message: { role: 'assistant', content: [] } } },
      { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I read.' } } },
      {
        type: 'tool-call-start',
        index: 0,
        delta: {
          message: { tool_calls: { id: 'read_1', type: 'function', function: { name: 'read', arguments: '' } } },
        },
      },
      { type: 'tool-call-delta', index: 0, delta: { message: { tool_calls: { function: { arguments: a } } } } },
      { type: 'tool-call-end', index: 0 },
      { type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } },
    ],
    { ...read, text: '', reasoning: 'I read.' },
  ),
  stream(
    'signed reasoning in blocks, as LiteLLM sends it',
    [
      chunk({ reasoning_content: 'Hm', thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: null }] }),
      chunk({ thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'SIG' }] }),
      ...hello,
    ],
    { reasoning: 'Hm' },
  ),
  whole(
    'a response whose status is that of its call',
    {
      ...{ ...response, status: 'requires_action' },
      output: [{ type: 'function_call', id: 'f', call_id: 'c', name: 'read', arguments: a }],
    },
    { protocol: 'openai-responses', ...read, text: '', not: 'responses' },
  ),
]
