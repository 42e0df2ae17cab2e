import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChatRequest } from './chat-request.ts'
import { textOf } from './message.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const pathsOf = (body: object) =>
  ChatRequest.safeParse({ messages, ...body }).error?.issues.map((i) => i.path.join('.')) ?? []

test('a conversation with tools, images and unknown parameters is unchanged', () => {
  const body = {
    model: 'a/b:nitro',
    messages: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
        name: 'someone',
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Hm.',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content: {} }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'A cat.' }] },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } }, cache_control: {} }],
    stream: true,
    stream_options: { include_usage: true },
    usage: { include: true },
    n: 1,
    a_new_parameter: { deep: [1] },
  }
  assert.deepEqual(ChatRequest.parse(body), body)
})

test('every routing preference is taken', () => {
  const routing = {
    models: ['c/d'],
    route: 'fallback',
    preset: 'haiku',
    plugins: [{ id: 'web' }],
    provider: {
      order: ['a'],
      only: ['a'],
      ignore: ['b'],
      allow_fallbacks: true,
      require_parameters: true,
      data_collection: 'deny',
      zdr: true,
      quantizations: ['fp8'],
      sort: 'throughput',
      max_price: { prompt: 1, completion: '2' },
      preferred_min_throughput: 50,
      preferred_max_latency: { p50: 1, p90: 3 },
    },
  }
  assert.deepEqual(pathsOf(routing), [])
})

/** One wrong value each, and the path that the error must name. */
const refused: [path: string, body: object][] = [
  ['messages', { messages: [] }],
  ['messages', { messages: undefined }],
  ['messages.0.role', { messages: [{ role: 'robot', content: 'Hi' }] }],
  ['messages.0.content', { messages: [{ role: 'user' }] }],
  ['messages.0.content', { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] }],
  ['messages.0.tool_call_id', { messages: [{ role: 'tool', content: 'Hi' }] }],
  ['model', { model: 1 }],
  ['models', { models: 'a/b' }],
  ['provider.sort', { provider: { sort: 'best' } }],
  ['provider.max_price.completion', { provider: { max_price: { completion: 'free' } } }],
  ['provider.preferred_max_latency', { provider: { preferred_max_latency: 'low' } }],
  ['plugins.0.id', { plugins: [{}] }],
  ['route', { route: 'model' }],
  ['stream', { stream: 'yes' }],
  ['stream_options.include_usage', { stream_options: { include_usage: 'yes' } }],
  ['usage.include', { usage: { include: 'yes' } }],
  ['session_id', { session_id: 'x'.repeat(257) }],
  ['user', { user: 'x'.repeat(257) }],
  ['metadata', { metadata: { 'a[0]': 'x' } }],
  ['trace.trace_id', { trace: { trace_id: 1 } }],
  ['temperature', { temperature: '1' }],
  ['stop', { stop: 1 }],
  ['tools.0.function', { tools: [{ type: 'function' }] }],
  ['tools.0.function.name', { tools: [{ type: 'function', function: {} }] }],
  ['tool_choice', { tool_choice: 'sometimes' }],
  ['response_format.type', { response_format: {} }],
  ['max_completion_tokens', { max_completion_tokens: 1.5 }],
  ['max_completion_tokens', { max_completion_tokens: 0 }],
  ['max_tokens', { max_tokens: -1 }],
  ['n', { n: 1.5 }],
  ['n', { n: '100' }],
  ['n', { n: Number.POSITIVE_INFINITY }],
  ['n', { n: 129 }],
  ['best_of', { best_of: 0 }],
  ['logit_bias.50256', { logit_bias: { 50256: 'never' } }],
]
test('a wrong value is refused at its path', () => {
  for (const [path, body] of refused) assert.deepEqual(pathsOf(body), [path])
})

test('metadata with too many pairs is refused by their number alone', () => {
  const metadata = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`[${at}]`, at]))
  assert.deepEqual(pathsOf({ metadata }), ['metadata'])
})

test('the text of a content is that of its text parts', () => {
  assert.equal(textOf('Hi'), 'Hi')
  assert.equal(textOf([{ type: 'text', text: 'a' }, { type: 'image_url' }, { type: 'text', text: 'b' }], '\n'), 'a\nb')
  assert.equal(textOf(null), '')
})
