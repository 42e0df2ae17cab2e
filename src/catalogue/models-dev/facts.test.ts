import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointFacts, modelFacts, pricesOf } from './facts.ts'
import type { SourceModel } from './source.ts'

const entry = (more: Partial<SourceModel> = {}): SourceModel => ({
  id: 'model',
  name: 'Model',
  release_date: '2026-01-02',
  modalities: { input: ['text'], output: ['text'] },
  limit: { context: 1000, output: 100 },
  ...more,
})

test('prices per million become prices per token, whatever a cache price is called', () => {
  const cost = { input: 0.07, output: 3, cached_input: 0.0175, cached_write: 0.1, reasoning: 4.2 }
  assert.deepEqual(pricesOf(entry({ cost })), {
    prompt: '0.00000007',
    completion: '0.000003',
    cacheRead: '0.0000000175',
    cacheWrite: '0.0000001',
    reasoning: '0.0000042',
  })
})

test('a cache price of 0 is not stated where other tokens cost something, and free where nothing does', () => {
  const prices = { output: 2, cache_read: 0, cache_write: 0 }
  assert.deepEqual(pricesOf(entry({ cost: { input: 1, ...prices } })), { prompt: '0.000001', completion: '0.000002' })
  assert.equal(pricesOf(entry({ cost: { input: 0, ...prices } }))?.cacheRead, '0')
})

test('tiers are in order of size, and those that depend on anything but the context are left out', () => {
  const tiers = [
    { tier: { size: 200_000 }, input: 4 },
    { tier: { size: 32_000, type: 'context' }, input: 2, output: 5 },
    { tier: { size: 1, type: 'weekday' }, input: 9 },
  ]
  assert.deepEqual(pricesOf(entry({ cost: { input: 1, output: 3, tiers } }))?.tiers, [
    { fromPromptTokens: 32_000, prompt: '0.000002', completion: '0.000005' },
    { fromPromptTokens: 200_000, prompt: '0.000004' },
  ])
})

test('no cost is no price, which is not a price of 0', () => {
  assert.equal(pricesOf(entry()), undefined)
})

test('a month of knowledge lasts to its end', () => {
  const cutoff = (knowledge: string) => modelFacts(entry({ knowledge })).knowledgeCutoff
  assert.deepEqual([cutoff('2024-02'), cutoff('2025-12-01'), cutoff('early 2025')], ['2024-02-29', '2025-12-01', null])
})

test('pdf is a file, and what embeds makes embeddings', () => {
  const facts = modelFacts(entry({ id: 'text-embedding-9', modalities: { input: ['text', 'pdf'], output: ['text'] } }))
  assert.deepEqual([facts.inputModalities, facts.outputModalities], [['text', 'file'], ['embeddings']])
})

test('supported parameters are those that the entry vouches for', () => {
  const prices = { prompt: '0', completion: '0' }
  const model = entry({ tool_call: true, reasoning: false, temperature: true, structured_output: true })
  assert.deepEqual(endpointFacts(model, prices).supportedParameters, [
    'max_tokens',
    'temperature',
    'tools',
    'tool_choice',
    'structured_outputs',
    'response_format',
  ])
})
