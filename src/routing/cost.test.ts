import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Prices } from '#catalogue/model.ts'
import { decimalUsd } from '#lib/pico-usd.ts'
import { costOf } from './cost.ts'

const none = { prompt: 0, completion: 0, cached: 0, cacheWritten: 0, reasoning: 0 }
const usd = (prices: Prices, tokens: Partial<typeof none>) => decimalUsd(costOf(prices, { ...none, ...tokens }))

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

test('every token has the price of its kind, and each is counted once', () => {
  assert.equal(usd(plain, { prompt: 1000, completion: 100 }), '0.0045')
  const tokens = { prompt: 1000, cached: 600, cacheWritten: 300, completion: 100, reasoning: 40 }
  // 100 × 3 + 600 × 0.3 + 300 × 3.75 + 60 × 15 + 40 × 20, in millionths, and the request.
  assert.equal(usd(rich, tokens), '0.013305')
})

test('a kind without a price of its own costs what it is a special case of', () =>
  assert.equal(usd(plain, { prompt: 10, cached: 10, completion: 10, reasoning: 10 }), '0.00018'))

test('the size of the prompt picks the tier, which changes only what it names', () => {
  const cost = (prompt: number) => usd(tiered, { prompt, completion: 1 })
  assert.deepEqual([cost(199_999), cost(200_000), cost(500_000)], ['0.600012', '1.200015', '4.50003'])
})

test('an upstream that counts more cached than prompt tokens never makes an answer cost less than nothing', () =>
  assert.equal(usd(plain, { prompt: 1, cached: 5, completion: 1, reasoning: 3 }), '0.00003'))

test('costs are exact, to the last digit of a price, however many tokens', () => {
  fc.assert(
    fc.property(fc.nat(10 ** 9), fc.nat(10 ** 9), fc.nat(10 ** 12), (prompt, completion, pico) => {
      const price = decimalUsd(BigInt(pico))
      const expected = BigInt(prompt + completion) * BigInt(pico)
      assert.equal(costOf({ prompt: price, completion: price }, { ...none, prompt, completion }), expected)
    }),
  )
})
