import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toEndpointFacts, toModelFacts } from './facts.ts'
import type { SourceModel } from './source.ts'

const entry = (more: Partial<SourceModel> = {}): SourceModel => ({
  id: 'model',
  name: 'Model',
  release_date: '2026-01-02',
  modalities: { input: ['text'], output: ['text'] },
  limit: { context: 1000, output: 100 },
  ...more,
})

test('a knowledge cutoff without a day is the last day of its month', () => {
  const cutoff = (knowledge: string) => toModelFacts(entry({ knowledge })).knowledgeCutoff
  assert.deepEqual([cutoff('2024-02'), cutoff('2025-12-01'), cutoff('early 2025')], ['2024-02-29', '2025-12-01', null])
})

test('pdf is a file, and an embedding model produces embeddings', () => {
  const facts = toModelFacts(
    entry({ id: 'text-embedding-9', modalities: { input: ['text', 'pdf'], output: ['text'] } }),
  )
  assert.deepEqual([facts.inputModalities, facts.outputModalities], [['text', 'file'], ['embeddings']])
})

test('supported parameters are those that the entry declares', () => {
  const prices = { prompt: '0', completion: '0' }
  const model = entry({ tool_call: true, reasoning: false, temperature: true, structured_output: true })
  assert.deepEqual(toEndpointFacts(model, prices).supportedParameters, [
    'max_tokens',
    'temperature',
    'tools',
    'tool_choice',
    'structured_outputs',
    'response_format',
  ])
})

test('embeddings models are recognized by their names, which exclude rerankers', () => {
  const outputOf = (id: string) =>
    toModelFacts(entry({ id, modalities: { input: ['text'], output: ['text'] } })).outputModalities
  const creating = [
    'mistral-embed',
    '@cf/baai/bge-m3',
    'e5-large-v2',
    'intfloat/multilingual-e5-large-instruct',
    'gte-large',
  ]
  for (const id of creating) assert.deepEqual(outputOf(id), ['embeddings'], id)
  for (const id of ['bge-reranker-v2-m3', 'kimi-k2.5-e5', 'voyager-8b', 'llama-nemotron-rerank-vl-1b-v2'])
    assert.deepEqual(outputOf(id), ['text'], id)
})
