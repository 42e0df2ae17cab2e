import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { Fault } from '#platform/core/fault.ts'
import { SseReader } from '#platform/net/sse.ts'
import { responsesClientProtocol } from './responses-client-protocol.ts'
import { listUntranslatedFields, responsesToChat } from './to-chat.ts'

const refusal = (body: object) => {
  try {
    responsesToChat({ ...body })
  } catch (error) {
    assert.ok(error instanceof Fault && error.kind === 'invalid')
    return error.message
  }
  return undefined
}

describe('responses clients, requests', () => {
  test('text becomes a message of the user, instructions one of the system', () => {
    const { messages } = responsesToChat({ instructions: 'Be brief.', input: 'Hi' })
    assert.deepEqual(messages, [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ])
  })

  test('reasoning, output and calls in a row become one message; results follow', () => {
    const text = { type: 'output_text', text: 'I look.', annotations: [] }
    const { messages } = responsesToChat({
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'gA' },
        { type: 'message', role: 'assistant', content: [text] },
        { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{}' },
        { type: 'function_call', call_id: 'b', name: 'weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: 'blue' },
        { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'grey' }] },
      ],
    })
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'tool'],
    )
    const called = { name: 'weather', arguments: '{}' }
    const mark = { id: 'native:rs_1', format: 'openai-responses-v1', index: 0 }
    assert.deepEqual(messages[1], {
      role: 'assistant',
      content: [{ type: 'text', text: 'I look.' }],
      reasoning_details: [
        { type: 'reasoning.summary', summary: 'Hm', ...mark },
        { type: 'reasoning.encrypted', data: 'gA', ...mark },
      ],
      tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function', function: called })),
    })
    assert.deepEqual(messages[3], { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'grey' }] })
  })

  test('reasoning and tool choices with wrong values are refused at their path', () => {
    const refusedFor = (more: object) =>
      refusal({ input: [{ type: 'reasoning', encrypted_content: 'AAAA', ...more }] }) ?? ''
    assert.match(refusedFor({ summary: [null] }), /^input\.0\.summary\.0: must be an object/)
    assert.match(refusedFor({ summary: 5 }), /^input\.0\.summary: must be an array/)
    assert.match(refusedFor({ content: 5 }), /^input\.0\.content: must be an array/)
    assert.match(refusedFor({ content: 'abc' }), /^input\.0\.content: must be an array/)
    assert.match(refusedFor({ content: [{ text: {} }] }), /^input\.0\.content\.0\.text: must be text/)
    assert.match(refusedFor({ encrypted_content: 5 }), /^input\.0\.encrypted_content: must be text/)
    const tools = [{ type: 'function', name: 'x' }]
    const choosing = (among: unknown) => ({ input: 'Hi', tools, tool_choice: { type: 'allowed_tools', tools: among } })
    assert.match(refusal(choosing(5)) ?? '', /^tool_choice\.tools: must be an array/)
    assert.match(refusal(choosing([null])) ?? '', /^tool_choice\.tools: must be an array/)
  })

  test('a body nested too deeply is refused before any request', () => {
    const nested = (levels: number): object => JSON.parse('{"a":'.repeat(levels) + 1 + '}'.repeat(levels))
    assert.equal(refusal({ input: 'Hi', text: { format: { type: 'text', schema: nested(400) } } }), undefined)
    assert.match(refusal({ input: 'Hi', text: { format: nested(50_000) } }) ?? '', /^text: is nested more than 500/)
    assert.match(refusal({ input: 'Hi', tools: [{ parameters: nested(50_000) }] }) ?? '', /^tools: is nested more/)
  })

  test('images and files', () => {
    const content = [
      { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
      { type: 'input_file', file_data: 'data:application/pdf;base64,AA', filename: 'a.pdf' },
      { type: 'input_file', file_url: 'https://example.com/b.pdf' },
      { type: 'input_file', file_id: 'file-1' },
    ]
    assert.deepEqual(responsesToChat({ input: [{ role: 'user', content }] }).messages[0]?.content, [
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AA', filename: 'a.pdf' } },
      { type: 'file', file: { file_data: 'https://example.com/b.pdf' } },
      { type: 'file', file: { file_id: 'file-1' } },
    ])
  })

  test('an image of the model belongs to its message, so that the model can change it', () => {
    const image = {
      type: 'image_generation_call',
      id: 'ig_1',
      status: 'completed',
      result: 'AAAA',
      output_format: 'webp',
    }
    const input = [{ role: 'assistant', content: 'See:' }, image, { ...image, result: 'https://a.example/a.png' }]
    const [message] = responsesToChat({ input }).messages as { images?: unknown }[]
    assert.deepEqual(message?.images, [
      { type: 'image_url', image_url: { url: 'data:image/webp;base64,AAAA' } },
      { type: 'image_url', image_url: { url: 'https://a.example/a.png' } },
    ])
    assert.deepEqual(listUntranslatedFields({ input: [...input, { ...image, result: null }] }), [
      'input.image_generation_call',
    ])
    assert.deepEqual(listUntranslatedFields({ input }), [])
  })

  test('settings get chat names, and fields of this protocol are omitted', () => {
    const shared = { model: 'a/b', models: ['c/d'], temperature: 0.5, reasoning: { effort: 'low' }, user: 'u', seed: 3 }
    const own = { include: ['reasoning.encrypted_content'], truncation: 'auto', store: true, max_tool_calls: 3 }
    const schema = { name: 'x', schema: { type: 'object' }, strict: true }
    const text = { format: { type: 'json_schema', ...schema }, verbosity: 'low' }
    // This service truncates the prompt itself.
    assert.deepEqual(listUntranslatedFields({ input: 'Hi', ...own }), ['max_tool_calls'])
    assert.deepEqual(responsesToChat({ input: 'Hi', ...shared, ...own, text, max_output_tokens: 99 }), {
      ...shared,
      messages: [{ role: 'user', content: 'Hi' }],
      max_completion_tokens: 99,
      response_format: { type: 'json_schema', json_schema: schema },
      verbosity: 'low',
    })
  })

  test('functions and the choice among them; tools that a provider runs are left to it', () => {
    const weather = { type: 'function', name: 'weather', parameters: { type: 'object' }, strict: true }
    const chat = responsesToChat({
      input: 'Hi',
      tools: [weather, { type: 'web_search' }],
      tool_choice: { type: 'function', name: 'weather' },
      parallel_tool_calls: false,
    })
    const declared = { name: 'weather', parameters: { type: 'object' }, strict: true }
    assert.deepEqual(chat.tools, [{ type: 'function', function: declared }])
    assert.deepEqual(chat.tool_choice, { type: 'function', function: { name: 'weather' } })
    assert.equal(chat.parallel_tool_calls, false)
    assert.equal(
      responsesToChat({ input: 'Hi', tools: [{ type: 'web_search' }], tool_choice: 'auto' }).tools,
      undefined,
    )
  })

  test('features that need storage are refused with an alternative', () => {
    assert.match(
      refusal({ input: 'Hi', previous_response_id: 'resp_1' })!,
      /^previous_response_id: .*stores no responses.*`input`/,
    )
    assert.match(refusal({ input: 'Hi', conversation: 'conv_1' })!, /^conversation: .*stores no responses/)
    assert.match(refusal({ input: 'Hi', prompt: { id: 'p' } })!, /^prompt: .*preset/)
    assert.match(refusal({ input: 'Hi', background: true })!, /^background: /)
    assert.match(refusal({ input: [{ type: 'item_reference', id: 'msg_1' }] })!, /^input\.0: .*itself/)
    assert.equal(refusal({ input: 'Hi', previous_response_id: null, background: false }), undefined)
  })

  test('an item without a required field is refused at its path', () => {
    assert.match(refusal({})!, /^input: is required/)
    assert.match(refusal({ input: [] })!, /^input: is required/)
    assert.match(refusal({ input: [{ role: 'robot', content: 'Hi' }] })!, /^input\.0\.role: /)
    assert.match(refusal({ input: [{ type: 'function_call', name: 'x', arguments: '' }] })!, /^input\.0\.call_id: /)
    assert.match(refusal({ input: [{ role: 'user', content: [{ text: 'Hi' }] }] })!, /^input\.0\.content\.0\.type: /)
  })
})

describe('responses clients, responses', () => {
  const head = { id: 'gen-1', model: 'a/b', createdSeconds: 1, request: { input: 'Hi', metadata: { a: 'b' } } }
  const tokens = { prompt: 3, completion: 4, cached: 1, cacheWritten: 0, reasoning: 2 }
  const usage: CompletionEvent = { type: 'usage', tokens }
  const finish = (reason: 'stop' | 'length' | 'content_filter'): CompletionEvent => ({
    type: 'finish',
    reason,
    native: '',
  })
  const written = (events: CompletionEvent[], passedEvents?: number): any[] => {
    const writer = responsesClientProtocol.createWriter(head, {
      includeUsage: false,
      ...(passedEvents && { passedEvents }),
    })
    return data(events.map(writer.event).join('') + writer.end({ costUsd: 0.5 }))
  }
  const data = (text: string): any[] => new SseReader().push(Buffer.from(text)).map((event) => JSON.parse(event.data))

  test('every item has its events from start to end, numbered from 0', () => {
    const events = written([{ type: 'text', text: 'Hel' }, { type: 'text', text: 'lo' }, finish('stop'), usage])
    assert.deepEqual(
      events.map(({ type }) => type.replace('response.', '')),
      [
        'created',
        'in_progress',
        'output_item.added',
        'content_part.added',
        'output_text.delta',
        'output_text.delta',
        'output_text.done',
        'content_part.done',
        'output_item.done',
        'completed',
      ],
    )
    assert.deepEqual(
      events.map(({ sequence_number }) => sequence_number),
      events.map((_, index) => index),
    )
    assert.deepEqual(events[6].text, 'Hello')
  })

  test('reasoning is a separate item that is closed before the text', () => {
    const events = written([{ type: 'reasoning', text: 'Hm' }, { type: 'text', text: 'Hi' }, finish('stop'), usage])
    const added = events.filter(({ type }) => type === 'response.output_item.added')
    assert.deepEqual(
      added.map(({ output_index, item }) => [output_index, item.type]),
      [
        [0, 'reasoning'],
        [1, 'message'],
      ],
    )
    assert.deepEqual(events.at(-1).response.output[0].summary, [{ type: 'summary_text', text: 'Hm' }])
    assert.deepEqual(
      events.map(({ sequence_number }) => sequence_number),
      events.map((_, index) => index),
    )
  })

  test('the last event has the whole response, the request fields and the usage', () => {
    const { response } = written([{ type: 'text', text: 'Hi' }, finish('stop'), usage]).at(-1)
    assert.deepEqual([response.status, response.metadata, response.store], ['completed', { a: 'b' }, false])
    assert.equal(response.output[0].content[0].text, 'Hi')
    assert.deepEqual(response.usage, {
      input_tokens: 3,
      input_tokens_details: { cached_tokens: 1 },
      output_tokens: 4,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 7,
      cost: 0.5,
    })
  })

  test('a response that ended too early is incomplete and says why', () => {
    const reasonOf = (reason: 'length' | 'content_filter') =>
      written([{ type: 'text', text: 'x' }, finish(reason)]).at(-1)
    assert.equal(reasonOf('length').type, 'response.incomplete')
    assert.deepEqual(reasonOf('length').response.incomplete_details, { reason: 'max_output_tokens' })
    assert.deepEqual(reasonOf('content_filter').response.incomplete_details, { reason: 'content_filter' })
    assert.equal(reasonOf('length').response.output[0].status, 'incomplete')
  })

  test('interleaved calls are separated', () => {
    const events = written([
      { type: 'tool_call', index: 0, id: 'a', name: 'x' },
      { type: 'tool_call', index: 1, id: 'b', name: 'y' },
      { type: 'tool_arguments', index: 0, text: '{"a":' },
      { type: 'tool_arguments', index: 1, text: '{}' },
      { type: 'tool_arguments', index: 0, text: '1}' },
    ])
    const output = events.at(-1).response.output
    assert.deepEqual(
      output.map((item: any) => [item.call_id, item.name, item.arguments]),
      [
        ['a', 'x', '{"a":1}'],
        ['b', 'y', '{}'],
      ],
    )
  })

  test('a failure is in the response, with the output so far', () => {
    const writer = responsesClientProtocol.createWriter(head, { includeUsage: false })
    const output = writer.event({ type: 'text', text: 'Once' })
    const failed = data(output + writer.fail({ code: 429, message: 'Slow down.' })).at(-1)
    assert.equal(failed.type, 'response.failed')
    assert.deepEqual(failed.response.error, { code: 'rate_limit_exceeded', message: 'Slow down.' })
    assert.equal(failed.response.output[0].content[0].text, 'Once')
  })

  test('a failure after passed-through events is an error event', () => {
    const writer = responsesClientProtocol.createWriter(head, { includeUsage: false, passedEvents: 7 })
    assert.deepEqual(data(writer.fail({ code: 502, message: 'Broke.' })), [
      { type: 'error', code: 'server_error', message: 'Broke.', param: null, sequence_number: 7 },
    ])
  })

  test('a whole response is the response of the last event', () => {
    const events: CompletionEvent[] = [
      { type: 'reasoning', text: 'Hm' },
      { type: 'refusal', text: 'No.' },
      finish('stop'),
      usage,
    ]
    assert.deepEqual(responsesClientProtocol.writeBody(head, events, { costUsd: 0.5 }), written(events).at(-1).response)
  })
})
