import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { readPreferences } from './preferences.ts'
import { findNeeds } from './request-needs.ts'

const needs = (more: Partial<ChatRequest>, smallestContext = 100_000, requireParameters = true) =>
  findNeeds({ messages: [{ role: 'user', content: 'Hi' }], ...more } as ChatRequest, smallestContext, requireParameters)

test('parameters are those of the request, with catalogue names', () => {
  const { parameters } = needs({
    temperature: 0,
    max_completion_tokens: 5,
    max_tokens: 5,
    reasoning_effort: 'low',
    seed: null,
    tools: [],
  })
  assert.deepEqual(parameters, ['temperature', 'max_tokens', 'reasoning'])
  assert.deepEqual(needs({ temperature: 0 }, 100_000, false).parameters, [])
})

test('tools and schemas are required, a temperature is not', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  const { required } = needs({ tools, temperature: 1, response_format: { type: 'json_schema', json_schema: {} } })
  assert.deepEqual(required, ['tools', 'structured_outputs'])
  assert.deepEqual(needs({ response_format: { type: 'json_object' }, tools: null }).required, [])
})

test('a part with the name of an inherited property needs no kind of input', () => {
  const content = [{ type: 'constructor' }, { type: 'toString' }]
  assert.deepEqual(needs({ messages: [{ role: 'user', content }] }).inputModalities, [])
})

test('images and audio need a model that accepts them', () => {
  const content = [
    { type: 'text', text: 'x' },
    { type: 'image_url', image_url: { url: 'data:' } },
    { type: 'input_audio' },
  ]
  assert.deepEqual(needs({ messages: [{ role: 'user', content }] as never }).inputModalities, ['image', 'audio'])
})

test('the prompt size is estimated low, so that no fitting prompt is refused', () =>
  assert.equal(needs({ messages: [{ role: 'user', content: 'x'.repeat(8000) }] }).promptTokens, 1000))

test('words are counted if they decide about a context', () => {
  const messages = [{ role: 'user' as const, content: 'word '.repeat(12_000) }]
  assert.equal(needs({ messages }, 8_000).promptTokens, 12_000)
  assert.equal(needs({ messages: [{ role: 'user', content: 'x'.repeat(60_000) }] }, 8_000).promptTokens, 7_500)
  assert.equal(needs({ messages }).promptTokens, 7_500)
})

test('missing preferences have the documented defaults', () =>
  assert.deepEqual(
    Object.fromEntries(Object.entries(readPreferences(undefined)).filter(([, value]) => value !== undefined)),
    { allowFallbacks: true, requireParameters: false, dataCollection: 'allow', zdr: false, partition: 'model' },
  ))

test('a sort is a string or an object, and route sets its partition', () => {
  assert.deepEqual(
    [readPreferences({ sort: 'price' }).sort, readPreferences({ sort: { by: 'latency' } }).sort],
    ['price', 'latency'],
  )
  assert.equal(readPreferences({ sort: { by: 'price', partition: 'none' } }).partition, 'none')
  assert.equal(readPreferences({ sort: 'price' }, 'sort').partition, 'none')
})

test('empty lists are ignored, prices can be text, latencies are seconds', () => {
  const { only, maxPrice, preferredMaxLatencyMs, preferredMinThroughput } = readPreferences({
    only: [],
    max_price: { prompt: '1.5', completion: 2 },
    preferred_max_latency: 0.5,
    preferred_min_throughput: { p90: 40 },
  })
  assert.deepEqual(
    [only, maxPrice, preferredMaxLatencyMs, preferredMinThroughput],
    [undefined, { prompt: 1.5, completion: 2 }, 500, 40],
  )
})
