import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleGeneration } from '#test/harness/records/sample-generation.ts'
import type { Endpoint } from '../../api/types.ts'
import { costLines, isSumCorrect, pricesOf } from './cost.ts'
import { curlOf } from './curl.ts'

const prices = { prompt: '0.000002', completion: '0.00001', input_cache_read: '0.0000002' }

test('costLines counts each token once at the price of its kind', () => {
  const counts = sampleGeneration({
    tokens_prompt: 8112,
    tokens_cached: 6900,
    tokens_completion: 412,
    tokens_reasoning: 96,
  })
  const lines = costLines(counts, prices)
  assert.deepEqual(
    lines.map(({ label, count }) => [label, count]),
    [
      ['prompt', 1212],
      ['prompt, cache read', 6900],
      ['completion', 316],
      ['completion, reasoning', 96],
    ],
  )
  assert.ok(isSumCorrect(lines, 1212 * 2e-6 + 6900 * 2e-7 + 412 * 1e-5))
  assert.equal(isSumCorrect(lines, 0.0079), false)
})

test('costLines has a line for each billed piece', () => {
  const lines = costLines(sampleGeneration({ billed_pieces: { web_search: 2 } }), {
    ...prices,
    request: '0.001',
    web_search: '0.01',
  })
  assert.deepEqual(
    lines.slice(2).map(({ label, count, usd }) => [label, count, usd]),
    [
      ['request', 1, 0.001],
      ['web search', 2, 0.02],
    ],
  )
})

test('pricesOf returns the prices of the endpoint', () => {
  const endpoints = [
    { tag: 'azure', pricing: { prompt: '1', completion: '1' } },
    { tag: 'openai', pricing: prices },
  ] as Endpoint[]
  assert.equal(pricesOf(endpoints, 'openai/gpt@openai'), prices)
  assert.equal(pricesOf(endpoints, 'openai/gpt@elsewhere'), undefined)
  assert.equal(pricesOf(endpoints, null), undefined)
})

test('curlOf repeats the inputs of embeddings', () => {
  const of = (messages: object[]) =>
    curlOf(sampleGeneration({ protocol: 'embeddings', streamed: false }), 'http://h', { messages } as never)
  const content = [{ type: 'token_ids', token_ids: [1, 2] }]
  const curl = of([
    { role: 'user', content: 'a' },
    { role: 'user', content },
  ])
  assert.match(curl, /http:\/\/h\/api\/v1\/embeddings/)
  assert.deepEqual(JSON.parse(/-d '(.*)'$/s.exec(curl)![1]!).input, ['a', [1, 2]])
})

test('curlOf uses the path of the protocol and escapes quotes', () => {
  const curl = curlOf(
    sampleGeneration({ protocol: 'anthropic-messages', requested_model: "it's", session_id: 's' }),
    'http://h',
  )
  assert.match(curl, /^curl -N http:\/\/h\/api\/v1\/messages /)
  assert.match(curl, /"model": "it'\\''s"/)
  assert.match(curl, /"session_id": "s"/)
  assert.match(
    curlOf(sampleGeneration({ protocol: 'openai-responses', streamed: false }), 'http://h'),
    /^curl http:\/\/h\/api\/v1\/responses /,
  )
})
