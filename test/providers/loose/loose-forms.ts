import type { OddResponse } from './loose-upstreams.ts'

const end = { chat: 'stop', responses: 'completed', messages: 'end_turn' }
const done = 'data: [DONE]\n\n'
const choice = (more: object) => ({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...more }] })
const chunk = (delta: object, finish_reason: string | null = null) => choice({ delta, finish_reason })
const json = (events: object[], end: string) => events.map((event) => `${JSON.stringify(event)}${end}`).join('')
const sse = (events: object[]) => `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}${done}`
const hello = [chunk({ content: 'Hel' }), chunk({ content: 'lo' }), chunk({}, 'stop')]
const helloResponse = choice({ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' })
const candidate = (text: string, more: object = {}) => ({ candidates: [{ content: { parts: [{ text }] }, ...more }] })

const started = {
  type: 'message_start',
  message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 1 } },
}
const blockStart = (index?: number) => ({
  type: 'content_block_start',
  index,
  content_block: { type: 'text', text: '' },
})
const added = (text: string, index?: number) => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'text_delta', text },
})
const ended = (stop_reason: string | null) => [
  { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
]

/** A stream of Anthropic's protocol. */
function message(name: string, events: object[], more: Partial<OddResponse> = {}): OddResponse {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  return { name, protocol: 'anthropic-messages', reply: { body }, text: 'Hello', end, ...more }
}

function form(name: string, reply: OddResponse['reply'], more: Partial<OddResponse> = {}): OddResponse {
  return { name, protocol: 'openai-chat', reply, text: 'Hello', end, ...more }
}

/** Responses in another form than events of the protocol, or with text in another field. */
export const oddForms: OddResponse[] = [
  ...['application/x-ndjson', 'application/jsonl; charset=utf-8', 'application/json', 'text/plain'].map((type) =>
    form(`an object on each line, of type ${type}`, { type, body: json(hello, '\n') }),
  ),
  form(
    'an object on each line for a whole response',
    { type: 'application/x-ndjson', body: json(hello, '\n') },
    {
      whole: true,
    },
  ),
  form('an object on each line without the last line end', {
    type: 'application/x-ndjson',
    body: json(hello, '\n\n').trim(),
  }),
  form('events that no blank line separates', {
    body: sse(hello).replaceAll('\n\n', '\n'),
  }),
  form('events on several lines, of which only the first has a field', {
    body: `${hello.map((event) => `data: ${JSON.stringify(event, null, 2)}\n\n`).join('')}${done}`,
  }),
  ...['', ' data: '].map((between) =>
    form(`two events on one line with ${JSON.stringify(between)} between them`, {
      body: `data: ${hello.map((event) => JSON.stringify(event)).join(between)}${between.trimEnd()} [DONE]\n\n`,
    }),
  ),
  form('events that are encoded twice', {
    body: `${hello.map((event) => `data: ${JSON.stringify(JSON.stringify(event))}\n\n`).join('')}${done}`,
  }),
  ...[JSON.stringify(helloResponse), { statusCode: 200, body: JSON.stringify(helloResponse) }].map((response) =>
    form(
      `a whole response as text in ${typeof response === 'string' ? 'JSON' : 'the body of AWS Lambda'}`,
      { type: 'application/json', body: JSON.stringify(response) },
      { whole: true },
    ),
  ),
  form('an event without a field among others', {
    body: `${sse(hello.slice(0, 1)).replace(done, '')}${JSON.stringify(hello[1])}\n\n${sse(hello.slice(2))}`,
  }),
  form(
    'a list instead of events',
    {
      type: 'application/json',
      body: JSON.stringify([candidate('Hel'), candidate('lo', { finishReason: 'STOP' })], null, 2),
    },
    { protocol: 'google-gemini' },
  ),
  form('events of text completions', {
    body: sse([
      choice({ text: 'Hel', finish_reason: null }),
      choice({ text: 'lo', finish_reason: null }),
      choice({ text: '', finish_reason: 'stop' }),
    ]),
  }),
  form(
    'a whole text completion',
    {
      type: 'application/json',
      body: JSON.stringify({ id: 'c', object: 'text_completion', choices: [{ text: 'Hello', finish_reason: 'stop' }] }),
    },
    { whole: true },
  ),
  form('one part as content', {
    body: sse([chunk({ content: { type: 'text', text: 'Hello' } }), chunk({}, 'stop')]),
  }),
  ...[
    { reasoning_text: 'Hm' },
    { thinking: 'Hm' },
    { reasoning: { content: 'Hm' } },
    { reasoning_content: { text: 'Hm' } },
  ].map((field) =>
    form(`reasoning in ${JSON.stringify(field)}`, { body: sse([chunk(field), ...hello]) }, { reasoning: 'Hm' }),
  ),
  message('blocks without numbers', [
    ...[started, blockStart(), added('Hel'), added('lo'), { type: 'content_block_stop' }],
    ...ended('end_turn'),
  ]),
  message('a block that does not start', [
    ...[started, added('Hel', 0), added('lo', 0), { type: 'content_block_stop', index: 0 }],
    ...ended('end_turn'),
  ]),
  message('blocks of the same number that do not end', [
    ...[started, blockStart(0), added('Hel', 0), blockStart(0), added('lo', 0)],
    ...ended('end_turn'),
  ]),
  message('an end without a reason', [
    ...[started, blockStart(0), added('Hello', 0), { type: 'content_block_stop', index: 0 }],
    ...ended(null),
  ]),
  form(
    'usage with null counts',
    {
      body: [
        { type: 'response.created', response: { id: 'r' } },
        { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hello' },
        {
          type: 'response.completed',
          response: {
            ...{ id: 'r', status: 'completed', output: [] },
            usage: { input_tokens: 5, output_tokens: 1, input_tokens_details: { cached_tokens: null } },
          },
        },
      ]
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join(''),
    },
    { protocol: 'openai-responses' },
  ),
  form(
    'a text as content of an item',
    {
      type: 'application/json',
      body: JSON.stringify({
        id: 'r',
        status: 'completed',
        output: [{ type: 'message', role: 'assistant', content: 'Hello' }],
      }),
    },
    { whole: true, protocol: 'openai-responses', not: 'responses' },
  ),
  form(
    'a whole response without a reason of its end',
    {
      type: 'application/json',
      body: JSON.stringify(candidate('Hello')),
    },
    { whole: true, protocol: 'google-gemini' },
  ),
]
