import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiErrorType, ChatStreamChunk$inboundSchema } from '@openrouter/sdk/models'
import type { CompletionEvent, TokenCounts } from '#chat/events.ts'
import { writeCompletion } from './completion.ts'
import { createChatWriter } from './writer.ts'

const head = { id: 'gen-1', model: 'a/b', provider: 'P', createdSeconds: 5 }
const tokens: TokenCounts = { prompt: 3, completion: 4, cached: 0, cacheWritten: 0, reasoning: 0 }
const cost = { costUsd: 0.5 }

const chunksOf = (text: string) =>
  text
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))

/** The deltas of all chunks but the first, which contains the role. */
function deltas(...events: CompletionEvent[]): object[] {
  const writer = createChatWriter(head, { includeUsage: true })
  const [first, ...rest] = chunksOf(events.map(writer.event).join('') + writer.end(undefined))
  const named = { id: 'gen-1', object: 'chat.completion.chunk', created: 5, model: 'a/b', provider: 'P' }
  const choice = { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }
  assert.deepEqual(first, { ...named, choices: [choice] })
  return rest.map(({ choices }) => choices[0].delta)
}
const message = (...events: CompletionEvent[]) => (writeCompletion(head, events, undefined) as any).choices[0].message

const thought = (text: string, more: object = {}): CompletionEvent =>
  ({ type: 'reasoning', text, ...more }) as CompletionEvent
const call = (index: number, more: object = {}): CompletionEvent => ({
  type: 'tool_call',
  index,
  id: `c${index}`,
  name: 'f',
  ...more,
})
const args = (index: number, text: string): CompletionEvent => ({ type: 'tool_arguments', index, text })

test('text, a refusal and an image, in pieces and whole', () => {
  const events: CompletionEvent[] = [
    { type: 'text', text: 'Hel' },
    { type: 'text', text: 'lo' },
    { type: 'refusal', text: 'No.' },
    { type: 'image', url: 'data:x' },
  ]
  const images = [{ type: 'image_url', image_url: { url: 'data:x' } }]
  assert.deepEqual(deltas(...events), [{ content: 'Hel' }, { content: 'lo' }, { refusal: 'No.' }, { images }])
  assert.deepEqual(message(...events), { role: 'assistant', content: 'Hello', refusal: 'No.', images })
  assert.deepEqual(message(), { role: 'assistant', content: '', refusal: null })
})

test('tool calls with arguments, also of custom tools', () => {
  const events = [call(0), args(0, '{"a":'), call(1, { custom: true }), args(1, 'go'), args(0, '1}')]
  assert.deepEqual(deltas(...events), [
    { tool_calls: [{ index: 0, id: 'c0', type: 'function', function: { name: 'f', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] },
    { tool_calls: [{ index: 1, id: 'c1', type: 'custom', custom: { name: 'f', input: '' } }] },
    { tool_calls: [{ index: 1, custom: { input: 'go' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
  ])
  const whole = message(...events)
  assert.equal(whole.content, null)
  assert.deepEqual(whole.tool_calls, [
    { id: 'c0', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
    { id: 'c1', type: 'custom', custom: { name: 'f', input: 'go' } },
  ])
  assert.deepEqual(message(args(7, 'of no call')).tool_calls, undefined)
})

test('each signed reasoning block is separate, in any number of pieces', () => {
  const format = 'anthropic-claude-v1'
  const signed = (signature: string) => thought('', { format, signature })
  const events = [
    thought('H', { format }),
    thought('m', { format }),
    signed('one'),
    thought('So', { format }),
    signed('two'),
  ]
  const whole = message(...events)
  assert.equal(whole.reasoning, 'HmSo')
  assert.deepEqual(
    whole.reasoning_details.map(({ text, signature, index }: Record<string, unknown>) => [text, signature, index]),
    [
      ['Hm', 'one', 0],
      ['So', 'two', 1],
    ],
  )
  const reasoningDeltas = deltas(...events) as { reasoning?: string; reasoning_details?: { index: number }[] }[]
  assert.equal(reasoningDeltas.map(({ reasoning = '' }) => reasoning).join(''), 'HmSo')
  assert.deepEqual(
    reasoningDeltas.map(({ reasoning_details: [one] = [] }) => one?.index),
    [0, 0, 0, 1, 1],
  )
})

test('a source that names no place is of all the text so far', () => {
  const events: CompletionEvent[] = [
    { type: 'text', text: 'Hello' },
    { type: 'citation', url: 'u', title: 'T', quote: 'Q', start: 1, end: 3 },
    { type: 'citation', url: 'v' },
  ]
  const place = (url_citation: object) => ({ type: 'url_citation', url_citation })
  const annotations = [
    place({ start_index: 1, end_index: 3, title: 'T', url: 'u', content: 'Q' }),
    place({ start_index: 0, end_index: 5, title: '', url: 'v' }),
  ]
  assert.deepEqual(message(...events).annotations, annotations)
  assert.deepEqual(
    deltas(...events).slice(1),
    annotations.map((one) => ({ annotations: [one] })),
  )
})

test('usage: its parts where there are some, its cost where there is one', () => {
  const usage = (more: Partial<TokenCounts>, note?: typeof cost) =>
    (writeCompletion(head, [{ type: 'usage', tokens: { ...tokens, ...more } }], note) as any).usage
  const counts = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  assert.deepEqual(usage({}), counts)
  assert.deepEqual(usage({ cached: 2, reasoning: 1 }, cost), {
    ...counts,
    cost: 0.5,
    prompt_tokens_details: { cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 1 },
  })
  assert.deepEqual(usage({ cacheWritten: 1 }).prompt_tokens_details, { cached_tokens: 0, cache_write_tokens: 1 })
  assert.equal('usage' in writeCompletion(head, [], cost), false)
})

test('a stream ends with a usage chunk and the end mark', () => {
  const end = (includeUsage: boolean) => {
    const writer = createChatWriter(head, { includeUsage })
    writer.event({ type: 'usage', tokens })
    return writer.end(cost)
  }
  assert.ok(end(true).endsWith('data: [DONE]\n\n'))
  const [[request], [unasked]] = [chunksOf(end(true)), chunksOf(end(false))]
  assert.deepEqual([request.choices, request.usage.cost], [[], 0.5])
  assert.deepEqual(unasked.choices, [{ index: 0, delta: {}, finish_reason: null }])
  assert.equal(createChatWriter(head, { includeUsage: true }).end(cost), 'data: [DONE]\n\n')
  const failed = createChatWriter(head, { includeUsage: true }).fail({ code: 502, message: 'M' })
  const [chunk] = chunksOf(failed)
  const metadata = { error_type: 'provider_unavailable' }
  assert.deepEqual([chunk.choices[0].finish_reason, chunk.error], ['error', { code: 502, message: 'M', metadata }])
  assert.ok(failed.endsWith('data: [DONE]\n\n'))
})

test('a whole response has its model, finish reason and no unrequested fields', () => {
  const response = writeCompletion(
    head,
    [
      { type: 'text', text: 'Hi' },
      { type: 'finish', reason: 'length', native: 'x' },
    ],
    cost,
  )
  assert.deepEqual(response, {
    id: 'gen-1',
    object: 'chat.completion',
    created: 5,
    model: 'a/b',
    provider: 'P',
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hi', refusal: null },
        finish_reason: 'length',
        logprobs: null,
      },
    ],
  })
})

test('an error within the stream has its type, in the form of OpenRouter', () => {
  const typeOf = (code: number, metadata?: Record<string, unknown>) => {
    const [chunk] = chunksOf(
      createChatWriter(head, { includeUsage: true }).fail({ code, message: 'M', ...(metadata && { metadata }) }),
    )
    return ChatStreamChunk$inboundSchema.parse(chunk).error?.metadata?.errorType
  }
  const types = [400, 401, 402, 403, 404, 408, 410, 413, 429, 500, 502, 503, 504].map((code) => typeOf(code))
  const errorTypes: ReadonlySet<unknown> = new Set(Object.values(ApiErrorType))
  assert.ok(
    types.every((type) => errorTypes.has(type)),
    types.join(),
  )
  assert.equal(typeOf(400, { provider_code: 'context_length_exceeded' }), 'context_length_exceeded')
  assert.equal(typeOf(400, { provider_code: 'tool_use_failed' }), 'invalid_request')
})
