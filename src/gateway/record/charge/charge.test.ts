import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Prices } from '#catalogue/index/model.ts'
import type { TokenCounts } from '#chat/events.ts'
import { toDecimalUsd } from '#platform/core/pico-usd.ts'
import type { UsageBound } from '../../admission/bounds/usage-bound.ts'
import type { BillableCounts } from '../response-counter.ts'
import { computeCharge, type ResponseEnd } from './charge.ts'

const prices: Prices = { prompt: '1', completion: '10', cacheRead: '0.1', cacheWrite: '2', reasoning: '20' }
const zeroTokens: TokenCounts = { prompt: 0, completion: 0, cached: 0, cacheWritten: 0, reasoning: 0 }
const max: UsageBound = {
  prompt: 100,
  reportablePrompt: 100,
  completion: 10_000,
  hasHiddenTokens: false,
  isSequential: true,
  hasUnrequestedTools: false,
  extraUsageBound: undefined,
}
const counted: BillableCounts = {
  reportedTokens: undefined,
  isFinal: false,
  bytes: 0,
  reasoningBytes: 0,
  toolCalls: 0,
  extras: undefined,
}

const charged = (
  more: Partial<BillableCounts>,
  { isFullyRead = true, generatedTokens, ...limits }: Partial<UsageBound & ResponseEnd> = {},
) => {
  const bound = { exactBound: { ...max, ...limits }, isWithinBound: () => false }
  const { cost, margin, ...charge } = computeCharge(
    { prices, bound, promptEstimate: () => 50 },
    { ...counted, ...more },
    {
      isFullyRead,
      generatedTokens,
    },
  )
  return { ...charge, cost: toDecimalUsd(cost), margin: toDecimalUsd(margin) }
}

test('the final count of the provider is charged', () => {
  const reportedTokens = { ...zeroTokens, prompt: 60, cached: 40, completion: 5, reasoning: 2 }
  const charge = charged({ reportedTokens, isFinal: true, bytes: 4000 })
  assert.deepEqual(charge.tokens, reportedTokens)
  assert.deepEqual([charge.isEstimated, charge.isCapped], [false, false])
  // 20 + 40 × 0.1 + 3 × 10 + 2 × 20.
  assert.deepEqual([charge.cost, charge.margin], ['94', '0'])
})

test('a count above the bound is limited to it, with its parts, and marked capped', () => {
  const reportedTokens = { prompt: 500, completion: 99_999, cached: 80, cacheWritten: 90, reasoning: 50_000 }
  const { tokens, isCapped } = charged({ reportedTokens, isFinal: true })
  assert.deepEqual(tokens, { prompt: 100, completion: 10_000, cached: 80, cacheWritten: 20, reasoning: 10_000 })
  assert.equal(isCapped, true)
  assert.equal(charged({ reportedTokens: { ...zeroTokens, prompt: 101 }, isFinal: true }).isCapped, true)
  assert.equal(charged({ reportedTokens: { ...zeroTokens, completion: 10_001 }, isFinal: true }).isCapped, true)
  const all = { ...zeroTokens, prompt: 100, completion: 10_000 }
  assert.equal(charged({ reportedTokens: all, isFinal: true }).isCapped, false)
  assert.equal(
    charged({ reportedTokens: { ...zeroTokens, prompt: 150, cached: 150 }, isFinal: true }).tokens.cached,
    100,
  )
})

test('without a count four bytes are a token, and limits are charged the maximum', () => {
  const { tokens, isEstimated, cost, margin } = charged({ bytes: 41 })
  assert.deepEqual(tokens, { ...zeroTokens, prompt: 50, completion: 11 })
  assert.equal(isEstimated, true)
  assert.equal(cost, String(50 + 110))
  // Each byte and the tokens in flight; the prompt at its highest price.
  assert.equal(Number(cost) + Number(margin), 2 * 100 + 20 * (41 + 512))
})

test('each tool call adds its frame, and the reservation is the maximum', () => {
  const whole = (more: Partial<BillableCounts>, limits = {}) => {
    const { cost, margin } = charged(more, limits)
    return Number(cost) + Number(margin)
  }
  assert.equal(whole({ bytes: 41, toolCalls: 2 }), 200 + 20 * (41 + 3 * 512))
  assert.equal(whole({ bytes: 50_000 }), 200 + 20 * 10_000)
  for (const unseen of [whole({ bytes: 4, reasoningBytes: 1 }), whole({ bytes: 4 }, { hasHiddenTokens: true })])
    assert.equal(unseen, 200 + 20 * 10_000)
  assert.equal(whole({ bytes: 4 }, { isFullyRead: false }), 200 + 20 * 10_000)
})

test('a count before the end is a minimum', () => {
  const reportedTokens = { prompt: 70, completion: 30, cached: 10, cacheWritten: 5, reasoning: 8 }
  assert.deepEqual(charged({ reportedTokens, bytes: 40, reasoningBytes: 40 }).tokens, {
    ...reportedTokens,
    reasoning: 10,
  })
  const { tokens } = charged({
    reportedTokens: { ...reportedTokens, prompt: 3, completion: 2, reasoning: 12 },
    bytes: 40,
    reasoningBytes: 4,
  })
  assert.deepEqual(tokens, { prompt: 50, completion: 10, cached: 10, cacheWritten: 5, reasoning: 12 })
})

/** The tokens of a response that received nothing for a long time. */
const within = (total: number, unreceived = 100_000) => ({ total, unreceived })

const most = (...of: Parameters<typeof charged>) => Number(charged(...of).cost) + Number(charged(...of).margin)

test('time limits the maximum, and the bytes and the bound limit it too', () => {
  assert.equal(most({ bytes: 4000 }, { generatedTokens: within(1000) }), 200 + 20 * 1000)
  assert.equal(most({ bytes: 4 }, { generatedTokens: within(1000) }), 200 + 20 * (4 + 512))
  assert.equal(most({ bytes: 4 }, { generatedTokens: within(1000), hasHiddenTokens: true }), 200 + 20 * 1000)
  assert.equal(most({ bytes: 4 }, { generatedTokens: within(50_000), isFullyRead: false }), 200 + 20 * 10_000)
})

test('time limits the tokens in transit', () => {
  assert.equal(most({ bytes: 4000 }, { generatedTokens: within(50_000, 20) }), 200 + 20 * (4000 + 20))
  assert.equal(
    most({ bytes: 4000, toolCalls: 1 }, { generatedTokens: within(50_000, 20) }),
    200 + 20 * (4000 + 20 + 512),
  )
  assert.equal(most({ bytes: 4 }, { generatedTokens: within(50_000, 20), isFullyRead: false }), 200 + 20 * 10_000)
})

test('a prompt that the provider counted before the end is charged as counted', () => {
  const reportedTokens = { ...zeroTokens, prompt: 90, cached: 80, completion: 1 }
  // 10 and 80 × 0.1 for the prompt.
  assert.equal(most({ reportedTokens }, { generatedTokens: within(10) }), 18 + 20 * 10)
  for (const prompt of [0, 24])
    assert.equal(most({ reportedTokens: { ...zeroTokens, prompt } }, { generatedTokens: within(10) }), 400)
  assert.equal(most({ reportedTokens }, { generatedTokens: within(10), isSequential: false }), 400)
})
