import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Prices } from '#catalogue/index/model.ts'
import type { TokenCounts } from '#chat/events.ts'
import { toDecimalUsd } from '#platform/core/pico-usd.ts'
import { costOf } from './cost.ts'

const none: TokenCounts = { prompt: 0, completion: 0, cached: 0, cacheWritten: 0, reasoning: 0 }
const usd = (prices: Prices, tokens: Partial<TokenCounts>) => toDecimalUsd(costOf(prices, { ...none, ...tokens }))

const plain: Prices = { prompt: '0.000003', completion: '0.000015' }
const rich: Prices = {
  ...plain,
  cacheRead: '0.0000003',
  cacheWrite: '0.00000375',
  reasoning: '0.00002',
  request: '0.01',
}
const tiered: Prices = {
  ...plain,
  tiers: [
    { fromPromptTokens: 200_000, prompt: '0.000006' },
    { fromPromptTokens: 500_000, prompt: '0.000009', completion: '0.00003' },
  ],
}

test('each token counts once at the price of its kind', () => {
  assert.equal(usd(plain, { prompt: 1000, completion: 100 }), '0.0045')
  const tokens = { prompt: 1000, cached: 600, cacheWritten: 300, completion: 100, reasoning: 40 }
  // 100 × 3 + 600 × 0.3 + 300 × 3.75 + 60 × 15 + 40 × 20, in millionths, and the request.
  assert.equal(usd(rich, tokens), '0.013305')
})

test('a kind without a price has the more general price', () =>
  assert.equal(usd(plain, { prompt: 10, cached: 10, completion: 10, reasoning: 10 }), '0.00018'))

test('the prompt size selects the price tier', () => {
  const cost = (prompt: number) => usd(tiered, { prompt, completion: 1 })
  assert.deepEqual([cost(199_999), cost(200_000), cost(500_000)], ['0.600012', '1.200015', '4.50003'])
})

test('more cached than prompt tokens do not give a negative cost', () =>
  assert.equal(usd(plain, { prompt: 1, cached: 5, completion: 1, reasoning: 3 }), '0.000018'))

test('costs are exact for any number of tokens', () => {
  fc.assert(
    fc.property(fc.nat(10 ** 9), fc.nat(10 ** 9), fc.nat(10 ** 12), (prompt, completion, pico) => {
      const price = toDecimalUsd(BigInt(pico))
      const expected = BigInt(prompt + completion) * BigInt(pico)
      assert.equal(costOf({ prompt: price, completion: price }, { ...none, prompt, completion }), expected)
    }),
  )
})

describe('units other than text', () => {
  const media: Prices = { ...rich, audioPrompt: '0.00001', audioCompletion: '0.00008', imageCompletion: '0.00012' }

  test('audio and images have separate prices, and count once', () => {
    const parts = { audioPrompt: 500, audioCompletion: 30, imageCompletion: 20 }
    // In millionths: 500 × 10 + 500 × 3, 30 × 80 + 20 × 120 + 10 × 20 + 40 × 15, and the request.
    const tokens = { prompt: 1000, completion: 100, reasoning: 10, parts }
    assert.equal(usd(media, tokens), '0.0221')
  })

  test('parts that exceed the total are limited, audio first', () => {
    const parts = { audioPrompt: 900, audioCompletion: 60, imageCompletion: 60 }
    const tokens = { prompt: 100, completion: 100, cached: 100, cacheWritten: 100, reasoning: 100, parts }
    // 100 × 10 for the prompt, 60 × 80 + 40 × 120.
    assert.equal(usd({ ...media, request: '0' }, tokens), '0.0106')
  })

  test('audio counts as not cached', () => {
    const parts = { audioPrompt: 500 }
    assert.equal(usd({ ...media, request: '0' }, { prompt: 1000, cached: 600, parts }), '0.00623')
  })

  test('hour-long cache writes have their own price, or that of other writes', () => {
    const tokens = { prompt: 1000, cacheWritten: 1000, parts: { cacheWritten1h: 400 } }
    assert.equal(usd({ ...rich, cacheWrite1h: '0.000006', request: '0' }, tokens), '0.00465')
    assert.equal(usd({ ...rich, request: '0' }, tokens), '0.00375')
  })

  test('a piece costs its price under any name', () => {
    const tools = { web_search: '0.01' }
    const pieces = { web_search: 3, image: 2, toString: 5, unheard_of: 7 }
    assert.equal(toDecimalUsd(costOf({ ...plain, tools, image: '0.04' }, none, { pieces })), '0.11')
  })

  test('a service tier has its prices, at least the default ones for long prompts', () => {
    const serviceTiers = { priority: { prompt: '0.000005', completion: '0.00003' } }
    const cost = (serviceTier: string, prompt: number) =>
      toDecimalUsd(costOf({ ...tiered, serviceTiers }, { ...none, prompt, completion: 100 }, { serviceTier }))
    assert.deepEqual(
      [cost('priority', 1000), cost('constructor', 1000), cost('priority', 200_000)],
      ['0.008', '0.0045', '1.203'],
    )
  })

  test('missing prices of a tier are at least the default ones, except discounts', () => {
    const prices = { ...media, serviceTiers: { priority: { prompt: '0.000006' } } }
    const cost = (tokens: Partial<TokenCounts>) =>
      toDecimalUsd(costOf({ ...prices, request: '0' }, { ...none, ...tokens }, { serviceTier: 'priority' }))
    assert.equal(cost({ prompt: 100, cached: 100 }), '0.0006')
    assert.equal(cost({ prompt: 100, parts: { audioPrompt: 100 } }), '0.001')
    assert.equal(cost({ completion: 100 }), '0.0015')
  })
})
