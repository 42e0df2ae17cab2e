import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Prices } from '#catalogue/index/model.ts'
import type { TokenCounts } from '#chat/events.ts'
import { decimalUsd } from '#platform/core/pico-usd.ts'
import type { UsageBound } from '../admission/bounds/usage-bound.ts'
import type { Counted } from './answer-tally.ts'
import { chargeFor } from './charge.ts'

const prices: Prices = { prompt: '1', completion: '10', cacheRead: '0.1', cacheWrite: '2', reasoning: '20' }
const none: TokenCounts = { prompt: 0, completion: 0, cached: 0, cacheWritten: 0, reasoning: 0 }
const most: UsageBound = { prompt: 100, promptTold: 100, completion: 10_000, hidden: false, bill: undefined }
const counted: Counted = { told: undefined, isFinal: false, bytes: 0, thoughtBytes: 0, toolCalls: 0, extras: undefined }

const charged = (more: Partial<Counted>, { seen = true, ...limits }: Partial<UsageBound> & { seen?: boolean } = {}) => {
  const bound = { whole: { ...most, ...limits }, surelyAllows: () => false }
  const { cost, margin, ...charge } = chargeFor(prices, { ...counted, ...more }, () => 50, bound, seen)
  return { ...charge, cost: decimalUsd(cost), margin: decimalUsd(margin) }
}

test('what the provider counted at the end is charged, and nothing besides', () => {
  const told = { ...none, prompt: 60, cached: 40, completion: 5, reasoning: 2 }
  const charge = charged({ told, isFinal: true, bytes: 4000 })
  assert.deepEqual(charge.tokens, told)
  assert.deepEqual([charge.estimated, charge.capped], [false, false])
  // 20 + 40 × 0.1 + 3 × 10 + 2 × 20.
  assert.deepEqual([charge.cost, charge.margin], ['94', '0'])
})

test('a count beyond what was possible is cut to it, its parts too, and said to be', () => {
  const told = { prompt: 500, completion: 99_999, cached: 80, cacheWritten: 90, reasoning: 50_000 }
  const { tokens, capped } = charged({ told, isFinal: true })
  assert.deepEqual(tokens, { prompt: 100, completion: 10_000, cached: 80, cacheWritten: 20, reasoning: 10_000 })
  assert.equal(capped, true)
  assert.equal(charged({ told: { ...none, prompt: 101 }, isFinal: true }).capped, true)
  assert.equal(charged({ told: { ...none, completion: 10_001 }, isFinal: true }).capped, true)
  const all = { ...none, prompt: 100, completion: 10_000 }
  assert.equal(charged({ told: all, isFinal: true }).capped, false)
  assert.equal(charged({ told: { ...none, prompt: 150, cached: 150 }, isFinal: true }).tokens.cached, 100)
})

test('where nobody counted, four bytes are a token, and limits are charged the most it can be', () => {
  const { tokens, estimated, cost, margin } = charged({ bytes: 41 })
  assert.deepEqual(tokens, { ...none, prompt: 50, completion: 11 })
  assert.equal(estimated, true)
  assert.equal(cost, String(50 + 110))
  // Each byte a token, and what may be under way; the prompt at its dearest.
  assert.equal(Number(cost) + Number(margin), 2 * 100 + 20 * (41 + 512))
})

test('each call adds what its frame may hold, and all that was set aside is the most', () => {
  const whole = (more: Partial<Counted>, limits = {}) => {
    const { cost, margin } = charged(more, limits)
    return Number(cost) + Number(margin)
  }
  assert.equal(whole({ bytes: 41, toolCalls: 2 }), 200 + 20 * (41 + 3 * 512))
  assert.equal(whole({ bytes: 50_000 }), 200 + 20 * 10_000)
  for (const unseen of [whole({ bytes: 4, thoughtBytes: 1 }), whole({ bytes: 4 }, { hidden: true })])
    assert.equal(unseen, 200 + 20 * 10_000)
  assert.equal(whole({ bytes: 4 }, { seen: false }), 200 + 20 * 10_000)
})

test('a count that broke off says at least so much', () => {
  const told = { prompt: 70, completion: 30, cached: 10, cacheWritten: 5, reasoning: 8 }
  assert.deepEqual(charged({ told, bytes: 40, thoughtBytes: 40 }).tokens, { ...told, reasoning: 10 })
  const { tokens } = charged({ told: { ...told, prompt: 3, completion: 2, reasoning: 12 }, bytes: 40, thoughtBytes: 4 })
  assert.deepEqual(tokens, { prompt: 50, completion: 10, cached: 10, cacheWritten: 5, reasoning: 12 })
})
