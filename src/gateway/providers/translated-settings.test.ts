import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { encoded, endpointFor, weatherTool } from '#test/harness/upstream/endpoints/encode-request.ts'
import { anthropicMessages } from './anthropic/anthropic-messages.ts'
import { googleGemini } from './gemini/google-gemini.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'

const requestWith = (more: object) => ({ messages: [{ role: 'user', content: 'Hi' }], ...more }) as Partial<ChatRequest>
const strictly = (strict: unknown) => [{ type: 'function', function: { name: 'f', strict } }]

test('a function is strict for Anthropic only if it was set', () => {
  const toolFor = (strict: unknown) =>
    encoded(anthropicMessages, 'claude', requestWith({ tools: strictly(strict) })).body.tools[0]
  assert.equal(toolFor(true).strict, true)
  for (const no of [false, null, undefined]) assert.equal('strict' in toolFor(no), false)
  const schemas = [true, false].map((strict) => toolFor(strict).input_schema)
  const empty = { type: 'object', properties: {} }
  assert.deepEqual(schemas, [{ ...empty, additionalProperties: false }, empty])
})

test('tool choice and parallel calls for Anthropic', () => {
  const choice = (tool_choice: unknown, parallel_tool_calls?: boolean) =>
    encoded(anthropicMessages, 'claude', requestWith({ tools: strictly(true), tool_choice, parallel_tool_calls })).body
      .tool_choice
  const one = { disable_parallel_tool_use: true }
  assert.deepEqual(choice('none'), { type: 'none' })
  assert.deepEqual([choice('required'), choice('required', false)], [{ type: 'any' }, { type: 'any', ...one }])
  assert.deepEqual(
    [choice('auto'), choice('auto', true), choice('auto', false)],
    [undefined, undefined, { type: 'auto', ...one }],
  )
  const named = { type: 'function', function: { name: 'f' } }
  assert.deepEqual(
    [choice(named), choice(named, false)],
    [
      { type: 'tool', name: 'f' },
      { type: 'tool', name: 'f', ...one },
    ],
  )
})

test('allowed tools are translated to OpenAI responses', () => {
  const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'weather' } }] }
  const body = (tool_choice: unknown) =>
    encoded(openaiResponses, 'gpt-5', requestWith({ tools: [weatherTool], tool_choice })).body.tool_choice
  assert.deepEqual(body({ type: 'allowed_tools', allowed_tools: allowed }), {
    type: 'allowed_tools',
    mode: 'required',
    tools: [{ type: 'function', name: 'weather' }],
  })
  assert.deepEqual(body({ type: 'function', function: { name: 'weather' } }), { type: 'function', name: 'weather' })
  assert.equal(body('auto'), 'auto')
})

test('an endpoint gets the output limit under its supported name', () => {
  const named = (supportedParameters: string[]) =>
    Object.keys(encoded(openaiChat, endpointFor('m', { supportedParameters }), requestWith({ max_tokens: 5 })).body)
  assert.ok(named(['max_completion_tokens']).includes('max_completion_tokens'))
  assert.ok(named(['max_tokens']).includes('max_tokens'))
})

test('tool results other than text become a user message in a chat', () => {
  const image = { type: 'image_url', image_url: { url: 'https://a.example/a.png' } }
  const messages = [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'See' }, image] },
    { role: 'user', content: 'And?' },
  ]
  const encodedMessages = encoded(openaiChat, 'm', { messages } as never).body.messages as {
    role: string
    content: unknown
  }[]
  assert.deepEqual(
    encodedMessages.map(({ role }) => role),
    ['user', 'assistant', 'tool', 'user'],
  )
  const text = { type: 'text', text: 'And?' }
  assert.deepEqual(encodedMessages[3]!.content, [{ type: 'text', text: 'Of the result of a:' }, image, text])
})

test('a tool choice of the responses protocol passes unchanged', () => {
  const own = { type: 'mcp', server_label: 'shop', name: 'buy' }
  const { tool_choice } = encoded(
    openaiResponses,
    'gpt-5',
    requestWith({ tools: [weatherTool], tool_choice: own }),
  ).body
  assert.deepEqual(tool_choice, own)
})

test('OpenAI responses gets the refusals of the assistant as text, and not its images', () => {
  const image_url = { url: 'https://a.example/a.png' }
  const content = [
    { type: 'refusal', refusal: 'No.' },
    { type: 'image_url', image_url },
  ]
  const { input } = encoded(openaiResponses, 'gpt-5', { messages: [{ role: 'assistant', content }] } as never).body
  assert.deepEqual(input[0].content, [{ type: 'output_text', text: 'No.', annotations: [] }])
})

test('only images of the assistant are refused by providers that do not accept them', () => {
  const content = [{ type: 'image_url', image_url: { url: 'https://a.example/a.png' } }]
  const request = { messages: [{ role: 'assistant', content }] } as never
  for (const [protocol, model] of [
    [openaiResponses, 'gpt-5'],
    [anthropicMessages, 'claude'],
  ] as const)
    assert.throws(() => encoded(protocol, model, request), /no content except images of the assistant/)
})

test('a PDF that a client sends as an image is a file', () => {
  const image_url = { url: 'data:application/pdf;base64,JVBERi0xLjQKJcfsj6IKNSAw' }
  const request = { messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }] } as never
  const [block] = encoded(anthropicMessages, 'claude', request).body.messages[0].content
  assert.deepEqual([block.type, block.source.media_type], ['document', 'application/pdf'])
  assert.equal(encoded(openaiResponses, 'gpt-5', request).body.input[0].content[0].type, 'input_file')
})

test('parallel calls that a provider cannot prevent are named', () => {
  const dropped = (parallel_tool_calls: boolean) => {
    const target = { endpoint: endpointFor('gemini-3-pro'), credential: 'secret', stream: false }
    return googleGemini.encode(requestWith({ tools: strictly(false), parallel_tool_calls }) as never, target).dropped
  }
  assert.deepEqual([dropped(false), dropped(true)], [['parallel_tool_calls'], []])
})

test('a call of an Anthropic tool is billed only if Anthropic counts it', () => {
  const read = (name: string) => {
    const block = { type: 'server_tool_use', id: 's', name, input: {} }
    const body = {
      id: 'm',
      type: 'message',
      model: 'claude',
      role: 'assistant',
      content: [block],
      stop_reason: 'end_turn',
    }
    return anthropicMessages.readBody(body).filter(({ type }) => type === 'billed_piece')
  }
  assert.deepEqual(read('web_search'), [{ type: 'billed_piece', unit: 'web_search' }])
  assert.deepEqual(read('bash_code_execution'), [])
})
