import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Endpoint, Model } from '#catalogue/index/model.ts'
import { linkSiblings } from '#catalogue/index/snapshot.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { UsageEvent } from '#chat/events.ts'
import { toDecimalUsd } from '#platform/core/pico-usd.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { computeUsageBound } from '../admission/bounds/usage-bound.ts'
import { highestCost } from '../pricing/highest-cost.ts'
import { anthropicMessages } from '../providers/anthropic/anthropic-messages.ts'
import { chargeFor } from './charge.ts'

const sonnet = endpointFor('claude-sonnet-4-6', { prices: { prompt: '1', completion: '10' } })
const opus = endpointFor('claude-opus-4-6-20260205', {
  prices: { prompt: '5', completion: '50', cacheRead: '0.5', request: '1000' },
})
const elsewhere = endpointFor('claude-opus-4-7', { provider: 'other', prices: { prompt: '7', completion: '70' } })
linkSiblings([sonnet, opus, elsewhere].map((endpoint) => ({ endpoints: [endpoint] }) as unknown as Model))

const run = { input_tokens: 100, cache_read_input_tokens: 20, output_tokens: 10 }

/** The charge of an answer of Sonnet that asked this advisor twice, and the bound of its request. */
function advised(requested: string, reported: string, endpoint: Endpoint = sonnet) {
  const tool = { type: 'advisor_20260301', name: 'advisor', model: requested, max_uses: 2, max_tokens: 2000 }
  const body = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1000, tools: [tool] }
  const forms = { chat: body as unknown as ChatRequest, body, protocol: 'anthropic-messages' as const }
  const exact = computeUsageBound(forms, { endpoint }, anthropicMessages)
  const advice = { type: 'advisor_message', model: reported, ...run }
  const usage = { input_tokens: 1000, output_tokens: 30, iterations: [advice, { type: 'message' }, advice] }
  const message = { content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage }
  const events = anthropicMessages.readBody(message)
  const { tokens, extras } = events.findLast((event): event is UsageEvent => event.type === 'usage')!
  const counted = { reported: tokens, isFinal: true, bytes: 2, reasoningBytes: 0, toolCalls: 0, extras }
  const bound = { exact, isWithinBound: () => false }
  const end = { isFullyRead: true, generated: undefined }
  const charge = chargeFor(endpoint.prices, counted, () => 1, bound, end)
  return { cost: toDecimalUsd(charge.cost), charge, exact }
}

describe('an advisor', () => {
  test('is billed at the price of its model, dated or not', () => {
    // 1000 × 1 + 30 × 10 of Sonnet, and twice 100 × 5 + 20 × 0.5 + 10 × 50 of Opus.
    for (const name of ['claude-opus-4-6', 'claude-opus-4-6-20260205'])
      assert.equal(advised('claude-opus-4-6', name).cost, '3320')
    const { charge } = advised('claude-opus-4-6', 'claude-opus-4-6')
    assert.deepEqual([charge.tokens.prompt, charge.tokens.completion, charge.capped], [1240, 50, false])
  })

  test('is billed at the price of the answering model if its provider has no such model', () => {
    for (const name of ['claude-opus-4-7', 'unknown']) assert.equal(advised(name, name).cost, '1740')
    assert.equal(
      advised('claude-opus-4-6', 'claude-opus-4-6', endpointFor('m', { prices: sonnet.prices })).cost,
      '1740',
    )
  })

  test('is reserved at its own price, and needs no price as a tool', () => {
    const { exact } = advised('claude-opus-4-6', 'claude-opus-4-6')
    assert.deepEqual([exact.bill?.unpriced, exact.bill?.unbounded], [[], []])
    assert.deepEqual([exact.prompt, exact.completion], [600_000, 5000])
    assert.equal(toDecimalUsd(highestCost(sonnet.prices, exact.prompt, exact.completion, exact.bill)), '3250000')
    assert.deepEqual(
      advised('unknown', 'unknown').exact.bill?.unpriced.map(({ price }) => price),
      ['tools.advisor'],
    )
  })
})
