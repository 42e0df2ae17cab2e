import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toPrices } from './prices.ts'
import type { SourceModel } from './source.ts'

const entry = (more: Partial<SourceModel> = {}): SourceModel => ({
  id: 'model',
  name: 'Model',
  release_date: '2026-01-02',
  modalities: { input: ['text'], output: ['text'] },
  limit: { context: 1000, output: 100 },
  ...more,
})

test('prices per million become prices per token, for each name of a cache price', () => {
  const cost = { input: 0.07, output: 3, cached_input: 0.0175, cached_write: 0.1, reasoning: 4.2 }
  assert.deepEqual(toPrices(entry({ cost })), {
    prompt: '0.00000007',
    completion: '0.000003',
    cacheRead: '0.0000000175',
    cacheWrite: '0.0000001',
    reasoning: '0.0000042',
  })
})

test('a cache price of 0 is unknown for a paid model and free for a free model', () => {
  const prices = { output: 2, cache_read: 0, cache_write: 0 }
  assert.deepEqual(toPrices(entry({ cost: { input: 1, ...prices } })), { prompt: '0.000001', completion: '0.000002' })
  assert.equal(toPrices(entry({ cost: { input: 0, ...prices } }))?.cacheRead, '0')
})

test('tiers are ordered by size, and only those by context are used', () => {
  const tiers = [
    { tier: { size: 200_000 }, input: 4 },
    { tier: { size: 32_000, type: 'context' }, input: 2, output: 5 },
    { tier: { size: 1, type: 'weekday' }, input: 9 },
  ]
  assert.deepEqual(toPrices(entry({ cost: { input: 1, output: 3, tiers } }))?.tiers, [
    { fromPromptTokens: 32_000, prompt: '0.000002', completion: '0.000005' },
    { fromPromptTokens: 200_000, prompt: '0.000004' },
  ])
})

test('a missing cost is a missing price, not a price of 0', () => {
  assert.equal(toPrices(entry()), undefined)
})

test('audio has its price where the entry states it, and where nothing costs anything', () => {
  const cost = { input: 0.3, output: 2.5, input_audio: 1, output_audio: 8.89 }
  const { audioPrompt, audioCompletion } = toPrices(entry({ cost }))!
  assert.deepEqual([audioPrompt, audioCompletion], ['0.000001', '0.00000889'])
  assert.equal(toPrices(entry({ cost: { input: 1, output: 1, input_audio: 0 } }))?.audioPrompt, undefined)
  const tiers = [{ tier: { size: 32_000 }, input: 0.5, input_audio: 1.902 }]
  assert.equal(toPrices(entry({ cost: { ...cost, tiers } }))?.tiers?.[0]?.audioPrompt, '0.000001902')
})

test('a mode with a service tier is a price of that tier; other modes are ignored', () => {
  const mode = (body: object) => ({ cost: { input: 12.5, output: 75, cache_read: 1.25 }, provider: { body } })
  const experimental = { modes: { fast: mode({ service_tier: 'priority' }), faster: mode({ speed: 'fast' }) } }
  const { serviceTiers } = toPrices(entry({ cost: { input: 5, output: 30 }, experimental }))!
  assert.deepEqual(serviceTiers, {
    priority: { prompt: '0.0000125', completion: '0.000075', cacheRead: '0.00000125' },
  })
})

test('prices of Anthropic’s one-hour cache and of images follow the price lists', () => {
  const tiers = [{ tier: { size: 200_000 }, input: 6, output: 22.5 }]
  const claude = toPrices(entry({ cost: { input: 3, output: 15, cache_write: 3.75, tiers } }), 'anthropic')!
  assert.deepEqual([claude.cacheWrite1h, claude.tiers?.[0]?.cacheWrite1h], ['0.000006', '0.000012'])
  const images = entry({ cost: { input: 0.3, output: 30 }, modalities: { input: ['text'], output: ['text', 'image'] } })
  const by = (provider: string) => toPrices(images, provider)?.imageCompletion
  assert.deepEqual([by('google'), by('gateway')], ['0.00003', undefined])
})
