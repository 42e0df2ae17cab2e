import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { encodeThought } from '#chat/thought-encoding.ts'
import { encoded, endpointFor, weatherCall, weatherTool } from '#test/harness/upstream/endpoints/encode-request.ts'
import { encodeBody } from '../../protocol/encoded-body.ts'
import { openaiResponses } from './openai-responses.ts'

const bodyOf = (chat: Partial<ChatRequest>) => encoded(openaiResponses, 'gpt-5', chat).body

const calling = {
  role: 'assistant' as const,
  content: null,
  tool_calls: [{ id: 'call_A', type: 'function', function: { name: 'weather', arguments: '{}' } }],
}

describe('openai-responses, requests', () => {
  test('a chat becomes items, without storage and with encrypted reasoning', () => {
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'Hi' },
      { role: 'assistant' as const, content: 'Hello' },
    ]
    const { path, headers, body } = encoded(openaiResponses, 'gpt-5', { messages }, false)
    assert.deepEqual([path, headers], ['/responses', { authorization: 'Bearer secret' }])
    assert.deepEqual(body, {
      input: [
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Be brief.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'message', role: 'assistant', content: 'Hello' },
      ],
      store: false,
      include: ['reasoning.encrypted_content'],
      model: 'gpt-5',
      stream: false,
    })
  })

  test('calls and results are separate items', () => {
    const { input } = bodyOf({ messages: weatherCall() })
    assert.deepEqual(input.slice(1), [
      { type: 'function_call', call_id: 'call_A', name: 'weather', arguments: '{"city":"Rome"}' },
      { type: 'function_call_output', call_id: 'call_A', output: '{"sky":"blue"}' },
    ])
  })

  test('a result in parts is not joined seamlessly', () => {
    const content = ['blue', 'berry'].map((text) => ({ type: 'text', text }))
    const { input } = bodyOf({ messages: [calling, { role: 'tool', tool_call_id: 'call_A', content }] })
    assert.equal(input[1].output, 'blue\nberry')
  })

  test('own reasoning precedes its call, other reasoning is omitted', () => {
    const own = { type: 'reasoning.encrypted', data: 'gAAAA', id: 'rs_1', format: 'openai-responses-v1' }
    const foreign = { type: 'reasoning.text', text: 'Hm', signature: 'sig', format: 'anthropic-claude-v1' }
    const summary = { type: 'reasoning.summary', summary: 'So.', format: 'openai-responses-v1' }
    const { input } = bodyOf({ messages: weatherCall({ reasoning_details: [foreign, summary, own] }) })
    const thought = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'So.' }] }
    assert.deepEqual(input[1], { ...thought, encrypted_content: 'gAAAA' })
    assert.equal(input.filter(({ type }: { type: string }) => type === 'reasoning').length, 1)
  })

  test('images, files and audio are translated', () => {
    const content = [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,BBBB', filename: 'b.pdf' } },
      { type: 'file', file: { file_data: 'https://example.com/c.pdf' } },
      { type: 'input_audio', input_audio: { data: 'CCCC', format: 'mp3' } },
    ]
    assert.deepEqual(bodyOf({ messages: [{ role: 'user', content }] }).input[0].content, [
      { type: 'input_text', text: 'See' },
      { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
      { type: 'input_file', filename: 'b.pdf', file_data: 'data:application/pdf;base64,BBBB' },
      { type: 'input_file', file_url: 'https://example.com/c.pdf' },
      { type: 'input_audio', input_audio: { data: 'CCCC', format: 'mp3' } },
    ])
  })

  test('a tool defaults to not strict, as in chat completions', () => {
    const { name, description, parameters } = weatherTool.function
    const strict = { ...weatherTool, function: { ...weatherTool.function, name: 'strictly', strict: true } }
    const { tools } = bodyOf({ tools: [weatherTool, strict] })
    assert.deepEqual(tools[0], { type: 'function', name, description, parameters, strict: false })
    assert.equal(tools[1].strict, true)
  })

  test('tool choices', () => {
    const choose = (tool_choice: ChatRequest['tool_choice']) =>
      bodyOf({ tools: [weatherTool], tool_choice }).tool_choice
    assert.equal(choose('required'), 'required')
    assert.deepEqual(choose({ type: 'function', function: { name: 'weather' } }), { type: 'function', name: 'weather' })
    const allowed = { mode: 'auto', tools: [{ type: 'function', function: { name: 'weather' } }] }
    const tools = [{ type: 'function', name: 'weather' }]
    assert.deepEqual(choose({ type: 'allowed_tools', allowed_tools: allowed }), {
      type: 'allowed_tools',
      mode: 'auto',
      tools,
    })
  })

  test('a response schema and verbosity', () => {
    const json_schema = {
      name: 'city',
      schema: { type: 'object', properties: {}, additionalProperties: false },
      strict: true,
    }
    const { text } = bodyOf({ response_format: { type: 'json_schema', json_schema }, verbosity: 'low' })
    assert.deepEqual(text, { format: { type: 'json_schema', ...json_schema }, verbosity: 'low' })
    assert.deepEqual(bodyOf({ response_format: { type: 'json_object' } }).text, { format: { type: 'json_object' } })
  })

  test('a summary is requested with reasoning, not with an effort only', () => {
    assert.deepEqual(bodyOf({ reasoning_effort: 'low' }).reasoning, { effort: 'low' })
    assert.deepEqual(bodyOf({ reasoning: { effort: 'high' } }).reasoning, { effort: 'high', summary: 'auto' })
    assert.deepEqual(bodyOf({ reasoning: { max_tokens: 2000 } }).reasoning, { effort: 'low', summary: 'auto' })
    assert.deepEqual(bodyOf({ reasoning: { enabled: false } }).reasoning, { effort: 'minimal' })
  })

  test('a model without reasoning gets no reasoning options', () => {
    const { body } = encoded(openaiResponses, endpointFor('gpt-4.1', { supportedParameters: ['tools'] }), {
      reasoning_effort: 'low',
    })
    assert.deepEqual([body.reasoning, body.include], [undefined, undefined])
  })

  test('limits and settings have the names of the protocol', () => {
    const settings = {
      temperature: 0.5,
      top_p: 0.9,
      service_tier: 'flex' as const,
      metadata: { a: 'b' },
      user: 'u',
      safety_identifier: 's',
      prompt_cache_key: 'k',
    }
    const chat = { ...settings, max_tokens: 5, seed: 1, stop: ['x'], session_id: 'mine' }
    const { input: _input, include: _include, ...rest } = encoded(openaiResponses, 'gpt-4.1', chat).body
    assert.deepEqual(rest, { ...settings, max_output_tokens: 16, store: false, model: 'gpt-4.1', stream: true })
  })
})

describe('openai-responses, passed through', () => {
  const target = { endpoint: endpointFor('gpt-5'), credential: 'secret', stream: true }
  const passed = (body: object) => JSON.parse(String(encodeBody(openaiResponses.passThrough!({ ...body }, target)!)))

  test('only the model, own fields and storage change', () => {
    const body = { input: 'Hi', unknown: { deep: [1] }, tools: [{ type: 'web_search' }] }
    const ours = { model: 'openai/gpt-5', models: ['x/y'], provider: {}, session_id: 's', preset: 'p' }
    const { include: _include, ...rest } = passed({ ...body, ...ours })
    assert.deepEqual(rest, { ...body, model: 'gpt-5', stream: true, store: false })
  })

  test('without storage, reasoning is requested in full, and references are removed', () => {
    const bare = { type: 'reasoning', id: 'rs_1', summary: [] }
    const include = ['message.output_text.logprobs']
    assert.deepEqual(passed({ input: [bare], include }).include, [...include, 'reasoning.encrypted_content'])
    assert.deepEqual(passed({ input: [bare] }).input, [{ role: 'user', content: '' }])
    const { input, include: request, store } = passed({ input: [bare], store: true })
    assert.deepEqual([input, request, store], [[bare], undefined, true])
  })

  test('reasoning of another provider is removed', () => {
    const own = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }
    const sealed = encodeThought({ format: 'anthropic-claude-v1', signature: 'sig' })
    const response = { role: 'assistant', content: 'Yes' }
    const { input } = passed({ input: [own, { ...own, encrypted_content: sealed }, response] })
    assert.deepEqual(input, [own, response])
  })

  test('reasoning options of this service are translated', () => {
    assert.deepEqual(passed({ reasoning: { enabled: false } }).reasoning, { effort: 'minimal' })
    assert.deepEqual(passed({ reasoning: { enabled: true, effort: 'low', max_tokens: 9 } }).reasoning, {
      effort: 'low',
    })
  })
})

test('arguments at the end of a call are read once', () => {
  const read = openaiResponses.createReader()
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_A', name: 'weather' }
  const say = (data: object) => read({ data: JSON.stringify(data) } as never)
  const events = [
    ...say({ type: 'response.output_item.added', output_index: 0, item: { ...call, arguments: '' } }),
    ...say({ type: 'response.function_call_arguments.delta', output_index: 0, delta: '' }),
    ...say({ type: 'response.output_item.done', output_index: 0, item: { ...call, arguments: '{"city":"Rome"}' } }),
  ]
  const argumentTexts = events.flatMap((event) => (event.type === 'tool_arguments' ? [event.text] : []))
  assert.deepEqual(argumentTexts, ['{"city":"Rome"}'])
})

test('two calls with one output index are distinguished by the ids of their items', () => {
  const read = openaiResponses.createReader()
  const say = (data: object) => read({ data: JSON.stringify(data) } as never)
  const item = (type: 'added' | 'done', id: string, fields: object) =>
    say({ type: `response.output_item.${type}`, output_index: 0, item: { type: 'function_call', id, ...fields } })
  const events = [
    ...item('added', 'fc_1', { call_id: 'call_A', name: 'weather' }),
    ...item('added', 'fc_2', { name: 'time' }),
    ...say({ type: 'response.function_call_arguments.done', item_id: 'fc_1', call_id: 'call_A', arguments: '{}' }),
    ...item('done', 'fc_2', { call_id: 'call_B', name: 'time', arguments: '{}' }),
  ]
  const calls = events.flatMap((event) => (event.type === 'tool_call' ? [`${event.name} ${event.id}`] : []))
  assert.deepEqual(calls, ['weather call_A', 'time call_B'])
})
