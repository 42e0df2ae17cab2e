import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { decodeThought } from '#chat/thought-encoding.ts'
import { SseReader } from '#platform/net/sse.ts'
import { ResponseWriter } from './writer.ts'

const head = { id: 'gen-1', model: 'a/b', createdSeconds: 1, request: { input: 'Hi' } }

/** The output for the events, without the fields that are the same in each test. */
function written(...events: CompletionEvent[]): Record<string, any>[] {
  const writer = new ResponseWriter(head)
  const text = events.map(writer.event).join('') + writer.end(undefined)
  return new SseReader().push(Buffer.from(text)).map(({ event, data }) => {
    const { type, sequence_number: _, ...fields } = JSON.parse(data)
    assert.equal(event, type)
    return { type: type.replace('response.', ''), ...fields }
  })
}

/** Without the beginning, in which the response is announced. */
const contentEvents = (...events: CompletionEvent[]) => written(...events).slice(2, -1)
const outputOf = (...events: CompletionEvent[]) => written(...events).at(-1)!.response.output

test('a response has all its settings, with defaults for omitted ones', () => {
  const [created, progress, completed] = written()
  assert.deepEqual(created!.response, {
    id: 'gen-1',
    object: 'response',
    created_at: 1,
    completed_at: null,
    status: 'in_progress',
    model: 'a/b',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: {},
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    frequency_penalty: 0,
    presence_penalty: 0,
    prompt_cache_key: null,
    safety_identifier: null,
    top_p: null,
    reasoning: { effort: null, summary: null },
    service_tier: 'auto',
    temperature: null,
    tool_choice: 'auto',
    text: { format: { type: 'text' } },
    tools: [],
    top_logprobs: 0,
    truncation: 'disabled',
    usage: null,
    output: [],
  })
  assert.deepEqual(progress, { type: 'in_progress', response: created!.response })
  assert.deepEqual(completed, { type: 'completed', response: { ...created!.response, status: 'completed' } })
})

test('text has events for its item, part and pieces, each complete at its end', () => {
  const item = { id: 'msg_1_0', type: 'message', role: 'assistant' }
  const place = { item_id: 'msg_1_0', output_index: 0, content_index: 0 }
  const part = { type: 'output_text', annotations: [], logprobs: [] }
  assert.deepEqual(
    contentEvents({ type: 'text', text: 'Hel' }, { type: 'text', text: '' }, { type: 'text', text: 'lo' }),
    [
      { type: 'output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
      { type: 'content_part.added', ...place, part: { ...part, text: '' } },
      { type: 'output_text.delta', ...place, delta: 'Hel', logprobs: [] },
      { type: 'output_text.delta', ...place, delta: 'lo', logprobs: [] },
      { type: 'output_text.done', ...place, text: 'Hello', logprobs: [] },
      { type: 'content_part.done', ...place, part: { ...part, text: 'Hello' } },
      {
        type: 'output_item.done',
        output_index: 0,
        item: { ...item, status: 'completed', content: [{ ...part, text: 'Hello' }] },
      },
    ],
  )
})

test('a refusal after text is another part of the same message', () => {
  const events = contentEvents(
    { type: 'text', text: 'Well.' },
    { type: 'refusal', text: 'N' },
    { type: 'refusal', text: 'o.' },
  )
  const place = { item_id: 'msg_1_0', output_index: 0, content_index: 1 }
  assert.deepEqual(events.slice(3, -1), [
    { type: 'output_text.done', ...place, content_index: 0, text: 'Well.', logprobs: [] },
    { type: 'content_part.done', ...place, content_index: 0, part: events[4]!.part },
    { type: 'content_part.added', ...place, part: { type: 'refusal', refusal: '' } },
    { type: 'refusal.delta', ...place, delta: 'N' },
    { type: 'refusal.delta', ...place, delta: 'o.' },
    { type: 'refusal.done', ...place, refusal: 'No.' },
    { type: 'content_part.done', ...place, part: { type: 'refusal', refusal: 'No.' } },
  ])
  assert.deepEqual(
    events.at(-1)!.item.content.map(({ type }: { type: string }) => type),
    ['output_text', 'refusal'],
  )
})

test('reasoning: its summary in parts, closed before the next item', () => {
  const place = { item_id: 'rs_1_0', output_index: 0, summary_index: 0 }
  const part = { type: 'summary_text' }
  const events = contentEvents(
    { type: 'reasoning', text: 'H' },
    { type: 'reasoning', text: 'm' },
    { type: 'text', text: 'Hi' },
  )
  assert.deepEqual(events.slice(0, 6), [
    { type: 'output_item.added', output_index: 0, item: { id: 'rs_1_0', type: 'reasoning', summary: [] } },
    { type: 'reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
    { type: 'reasoning_summary_text.delta', ...place, delta: 'H' },
    { type: 'reasoning_summary_text.delta', ...place, delta: 'm' },
    { type: 'reasoning_summary_text.done', ...place, text: 'Hm' },
    { type: 'reasoning_summary_part.done', ...place, part: { ...part, text: 'Hm' } },
  ])
  assert.deepEqual([events[6]!.type, events[7]!.type], ['output_item.done', 'output_item.added'])
  assert.equal(events[7]!.output_index, 1)
  assert.deepEqual(contentEvents({ type: 'reasoning', text: '' }), [])
})

test('encrypted reasoning is closed with its content, with or without a summary', () => {
  const reasoning = { encrypted: 'gAAA', format: 'openai-responses-v1', id: 'rs_9' } as const
  const [silent] = outputOf({ type: 'reasoning', text: '', ...reasoning })
  assert.deepEqual(silent.summary, [])
  assert.ok(silent.encrypted_content)
  const two = outputOf({ type: 'reasoning', text: 'A', ...reasoning }, { type: 'reasoning', text: 'B', ...reasoning })
  assert.deepEqual(
    two.map(({ summary }: { summary: object[] }) => summary),
    [[{ type: 'summary_text', text: 'A' }], [{ type: 'summary_text', text: 'B' }]],
  )
})

test('calls of functions and of custom tools have all their events', () => {
  const call = { id: 'fc_1_0', type: 'function_call', call_id: 'a', name: 'x' }
  const custom = { id: 'ctc_1_1', type: 'custom_tool_call', call_id: 'b', name: 'y' }
  const [first, second] = [
    { item_id: 'fc_1_0', output_index: 0 },
    { item_id: 'ctc_1_1', output_index: 1 },
  ]
  assert.deepEqual(
    contentEvents(
      { type: 'tool_call', index: 0, id: 'a', name: 'x' },
      { type: 'tool_arguments', index: 0, text: '{}' },
      { type: 'tool_call', index: 1, id: 'b', name: 'y', custom: true },
      { type: 'tool_arguments', index: 1, text: 'go' },
      { type: 'tool_arguments', index: 7, text: 'of no call' },
    ),
    [
      { type: 'output_item.added', output_index: 0, item: { ...call, status: 'in_progress', arguments: '' } },
      { type: 'function_call_arguments.delta', ...first, delta: '{}' },
      { type: 'output_item.added', output_index: 1, item: { ...custom, status: 'in_progress', input: '' } },
      { type: 'custom_tool_call_input.delta', ...second, delta: 'go' },
      { type: 'function_call_arguments.done', ...first, name: 'x', arguments: '{}' },
      { type: 'output_item.done', output_index: 0, item: { ...call, status: 'completed', arguments: '{}' } },
      { type: 'custom_tool_call_input.done', ...second, input: 'go' },
      { type: 'output_item.done', output_index: 1, item: { ...custom, status: 'completed', input: 'go' } },
    ],
  )
})

test('an image ends the current item, and is complete at once', () => {
  const [, message, , ...rest] = contentEvents(
    { type: 'text', text: 'See' },
    { type: 'image', url: 'data:image/png;base64,AAAA' },
  )
  assert.equal(message!.type, 'content_part.added')
  const item = { id: 'ig_1_1', type: 'image_generation_call' }
  assert.deepEqual(rest.slice(3), [
    { type: 'output_item.added', output_index: 1, item: { ...item, status: 'in_progress', result: null } },
    { type: 'image_generation_call.completed', output_index: 1, item_id: 'ig_1_1' },
    { type: 'output_item.done', output_index: 1, item: { ...item, status: 'completed', result: 'AAAA' } },
  ])
})

test('a citation is an annotation with its position', () => {
  const events = contentEvents(
    { type: 'text', text: 'Hello' },
    { type: 'citation', url: 'https://a.example', title: 'A', start: 0, end: 5 },
    { type: 'citation', url: 'https://b.example' },
    { type: 'citation', file: { id: 'file_1', name: 'a.pdf', index: 0 } },
  )
  const added = events.filter(({ type }) => type === 'output_text.annotation.added')
  assert.deepEqual(
    added.map(({ annotation_index, annotation }) => [annotation_index, annotation.url, annotation.title]),
    [
      [0, 'https://a.example', 'A'],
      [1, 'https://b.example', ''],
      [2, undefined, undefined],
    ],
  )
  assert.deepEqual([added[0]!.annotation.type, added[0]!.annotation.start_index], ['url_citation', 0])
  assert.equal(added[0]!.annotation.end_index, 5)
  const file = { type: 'file_citation', file_id: 'file_1', filename: 'a.pdf', index: 0 }
  assert.deepEqual(added[2]!.annotation, file)
})

test('a citation after the end of its message belongs to the text of that message', () => {
  const events: CompletionEvent[] = [
    { type: 'text', text: 'Rome.' },
    { type: 'tool_call', index: 0, id: 'call_1', name: 'f' },
    { type: 'tool_arguments', index: 0, text: '{}' },
    { type: 'citation', url: 'https://a.example/', title: 'A', start: 0, end: 4 },
  ]
  const annotation = { type: 'url_citation', url: 'https://a.example/', title: 'A', start_index: 0, end_index: 4 }
  const added = contentEvents(...events).find(({ type }) => type === 'output_text.annotation.added')
  assert.partialDeepStrictEqual(added, { output_index: 0, content_index: 0, annotation_index: 0, annotation })
  const [message, call, ...others] = outputOf(...events)
  assert.deepEqual([message.content[0].annotations, call.type, others], [[annotation], 'function_call', []])
})

test('an early end makes open items incomplete, with the reason in the response', () => {
  const cut = written({ type: 'text', text: 'x' }, { type: 'finish', reason: 'length', native: '' }).at(-1)!
  assert.deepEqual([cut.type, cut.response.status], ['incomplete', 'incomplete'])
  assert.equal(cut.response.output[0].status, 'incomplete')
  const whole = written({ type: 'finish', reason: 'tool_calls', native: '' }).at(-1)!
  assert.deepEqual([whole.response.status, whole.response.incomplete_details], ['completed', null])
})

test('a failure has an error code of the protocol', () => {
  const codes = [429, 400, 404, 408, 500, 502].map((code) => {
    const [, , failed] = new SseReader().push(Buffer.from(new ResponseWriter(head).fail({ code, message: 'M' })))
    const { response } = JSON.parse(failed!.data)
    assert.deepEqual([response.status, response.error.message], ['failed', 'M'])
    return response.error.code
  })
  const [prompt, server] = ['invalid_prompt', 'server_error']
  assert.deepEqual(codes, ['rate_limit_exceeded', prompt, prompt, server, server, server])
})

test('reasoning next to text has encrypted content, and the text has none', () => {
  const [thought, message] = outputOf(
    { type: 'reasoning', text: 'Hm', field: 'reasoning' },
    { type: 'text', text: 'Hi' },
  )
  assert.deepEqual(decodeThought(thought.encrypted_content, thought.id), { field: 'reasoning', by: 'a/b' })
  assert.deepEqual([message.type, 'encrypted_content' in message], ['message', false])
})

test('a namespaced call has both names, whole and streamed', () => {
  const tools = [{ type: 'namespace', name: 'mcp__sky', tools: [{ type: 'function', name: 'weather' }] }]
  const writer = new ResponseWriter({ ...head, request: { tools } })
  const events = ['mcp__sky__weather', 'own'].map((name, index) =>
    writer.event({ type: 'tool_call', index, id: `c${index}`, name }),
  )
  writer.event({ type: 'tool_call', index: 2, id: 'c2', name: 'weather', namespace: 'given' })
  writer.end(undefined)
  const { output } = writer.response as any
  assert.equal(output[2].namespace, 'given')
  assert.deepEqual([output[0].namespace, output[0].name], ['mcp__sky', 'weather'])
  assert.deepEqual([output[1].namespace, output[1].name], [undefined, 'own'])
  assert.ok(events[0]!.includes('"namespace":"mcp__sky"'))
})

test('a call of the search for tools that the client runs is an item of its type', () => {
  const tools = [{ type: 'tool_search', execution: 'client', description: 'find', parameters: {} }]
  const writer = new ResponseWriter({ ...head, request: { input: 'Hi', tools } })
  const events: CompletionEvent[] = [
    { type: 'tool_call', index: 0, id: 'c1', name: 'tool_search' },
    { type: 'tool_arguments', index: 0, text: '{"query":' },
    { type: 'tool_arguments', index: 0, text: '"mail"}' },
  ]
  const text = events.map(writer.event).join('') + writer.end(undefined)
  const item = { id: 'tsc_1_0', type: 'tool_search_call', execution: 'client', status: 'completed', call_id: 'c1' }
  const received = new SseReader().push(Buffer.from(text)).map(({ data }) => JSON.parse(data))
  assert.deepEqual(
    received.slice(2).map(({ type }) => type),
    ['response.output_item.added', 'response.output_item.done', 'response.completed'],
  )
  assert.deepEqual(received.at(-1).response.output, [{ ...item, arguments: { query: 'mail' } }])
})

test('a search for tools keeps arguments that are not an object as text', () => {
  const tools = [{ type: 'tool_search', execution: 'client' }]
  for (const text of ['{"query":', 'mail', '["mail"]', `{"a":${'['.repeat(600)}${']'.repeat(600)}}`]) {
    const writer = new ResponseWriter({ ...head, request: { input: 'Hi', tools } })
    writer.event({ type: 'tool_call', index: 0, id: 'c1', name: 'tool_search' })
    writer.event({ type: 'tool_arguments', index: 0, text })
    writer.end(undefined)
    assert.equal((writer.response as any).output[0].arguments, text)
  }
})
