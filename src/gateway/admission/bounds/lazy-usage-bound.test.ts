import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint, Model } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { openaiChat } from '../../providers/openai-chat/openai-chat.ts'
import { LazyUsageBound } from './lazy-usage-bound.ts'

const model = { inputModalities: ['text'], outputModalities: ['text'] } as Pick<
  Model,
  'inputModalities' | 'outputModalities'
>
const endpoint: Endpoint = { ...endpointFor('m'), contextLength: 5000, maxCompletionTokens: 1000 }
const counts = (prompt: number, completion: number) => ({
  prompt,
  completion,
  cached: 0,
  cacheWritten: 0,
  reasoning: 0,
})

function boundOf(more: object, created = model) {
  const chat = { model: 'a/b', messages: [{ role: 'user', content: 'ü'.repeat(500) }], ...more } as ChatRequest
  return new LazyUsageBound({ chat, body: chat, protocol: 'openai-chat' }, { endpoint, model: created }, openaiChat)
}
const allows = (more: object, prompt: number, completion: number) =>
  boundOf(more).isWithinBound(counts(prompt, completion))

test('the quick check never allows more than the exact bound', () => {
  const requests = [{}, { max_tokens: 10 }, { max_completion_tokens: 5000 }, { temperature: 1, messages: [] }]
  for (const more of requests) {
    const { reportablePrompt, completion, extraUsageBound } = boundOf(more).exactBound
    assert.equal(extraUsageBound, undefined)
    assert.deepEqual([allows(more, reportablePrompt + 1, 1), allows(more, 1, completion + 1)], [false, false])
    assert.equal(allows(more, 1024, Math.min(completion, 10)), true)
  }
  assert.deepEqual([allows({}, 1024 + 500, 1000), allows({}, 1024 + 501, 1000)], [true, false])
})

test('text in parts is text', () => {
  const parts = [
    { type: 'text', text: 'x'.repeat(300) },
    { type: 'text', text: 'ü' },
  ]
  const more = { messages: [{ role: 'user', content: parts }] }
  assert.deepEqual([allows(more, 1024 + 301, 1), allows(more, 1024 + 302, 1)], [true, false])
  assert.ok(boundOf(more).exactBound.reportablePrompt >= 1024 + 301)
})

test('the quick check is inconclusive for more than one text response', () => {
  const part = { type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }
  for (const more of [
    ...[{ n: 2 }, { tools: [] }, { service_tier: 'priority' }, { prediction: {} }, { modalities: ['audio'] }],
    ...[{ web_search_options: {} }, { unknown: 1 }, { messages: [{ role: 'user', content: [part] }] }],
    { messages: [{ role: 'assistant', content: 'x', audio: { id: 'a' } }] },
    { messages: [{ role: 'user', content: [{ type: 'input_text', text: 'x' }] }] },
    { messages: [{ role: 'assistant', content: null }] },
  ])
    assert.equal(allows(more, 1, 1), false, JSON.stringify(more))
  const draws = boundOf({}, { ...model, outputModalities: ['text', 'image'] })
  assert.equal(draws.isWithinBound(counts(1, 1)), false)
})

test('a body that differs from its chat request is measured', () => {
  const chat = { messages: [{ role: 'user', content: 'x' }] } as ChatRequest
  const bound = new LazyUsageBound({ chat, body: { ...chat } }, { endpoint, model }, openaiChat)
  assert.equal(bound.isWithinBound(counts(1, 1)), false)
})
