import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Endpoint, Model } from '#catalogue/index/model.ts'
import { linkSiblingEndpoints } from '#catalogue/index/names/sibling-endpoints.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { UsageEvent } from '#chat/events.ts'
import { toDecimalUsd } from '#platform/core/pico-usd.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { computeUsageBound } from '../../admission/bounds/usage-bound.ts'
import { chargedPrices } from '../../pricing/charged-prices.ts'
import { cacheSavingOf } from '../../pricing/cost.ts'
import { highestCost } from '../../pricing/highest-cost.ts'
import { ownTokens } from '../../pricing/model-usage.ts'
import { anthropicMessages } from '../../providers/anthropic/anthropic-messages.ts'
import { computeCharge } from './charge.ts'

const sonnet = endpointFor('claude-sonnet-4-6', { prices: { prompt: '1', completion: '10' } })
const opus = endpointFor('claude-opus-4-6-20260205', {
  prices: { prompt: '5', completion: '50', cacheRead: '0.5', request: '1000' },
})
const elsewhere = endpointFor('claude-opus-4-7', { provider: 'other', prices: { prompt: '7', completion: '70' } })
linkSiblingEndpoints([sonnet, opus, elsewhere].map((endpoint) => ({ endpoints: [endpoint] }) as unknown as Model))

type Counts = {
  input_tokens: number
  output_tokens: number
  cache_read_input_tokens?: number
  cache_creation_input_tokens?: number
  cache_creation?: { ephemeral_1h_input_tokens: number }
}
const run: Counts = { input_tokens: 100, cache_read_input_tokens: 20, output_tokens: 10 }

type Options = { endpoint?: Endpoint; runs?: readonly Counts[]; own?: Counts; tool?: object; request?: object }

/** The charge of a response of Sonnet that asked this advisor twice, and the bound of its request. */
function advised(
  requested: string,
  reported: string,
  { endpoint = sonnet, runs = [run, run], own = { input_tokens: 1000, output_tokens: 30 }, ...more }: Options = {},
) {
  const limits = { max_uses: 2, max_tokens: 2000, ...more.tool }
  const tool = { type: 'advisor_20260301', name: 'advisor', model: requested, ...limits }
  const body = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1000, tools: [tool], ...more.request }
  const bodies = { chat: body as unknown as ChatRequest, body, protocol: 'anthropic-messages' as const }
  const exact = computeUsageBound(bodies, { endpoint }, anthropicMessages)
  const advice = runs.map((counts) => ({ type: 'advisor_message', model: reported, ...counts }))
  const usage = { ...own, iterations: [...advice, { type: 'message' }] }
  const message = { content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage }
  const events = anthropicMessages.readBody(message)
  const { tokens, extras } = events.findLast((event): event is UsageEvent => event.type === 'usage') ?? {}
  const counted = { reportedTokens: tokens, isFinal: true, bytes: 2, reasoningBytes: 0, toolCalls: 0, extras }
  const bound = { exactBound: exact, isWithinBound: () => false }
  const end = { isFullyRead: true, generatedTokens: undefined }
  const charge = computeCharge({ prices: endpoint.prices, bound, promptEstimate: () => 1 }, counted, end)
  return { cost: toDecimalUsd(charge.cost), charge, exact }
}

describe('an advisor', () => {
  test('is billed at the price of its model, dated or not', () => {
    // 1000 × 1 + 30 × 10 of Sonnet, and twice 100 × 5 + 20 × 0.5 + 10 × 50 of Opus.
    for (const name of ['claude-opus-4-6', 'claude-opus-4-6-20260205'])
      assert.equal(advised('claude-opus-4-6', name).cost, '3320')
    const { charge } = advised('claude-opus-4-6', 'claude-opus-4-6')
    assert.deepEqual([charge.tokens.prompt, charge.tokens.completion, charge.isCapped], [1240, 50, false])
  })

  test('is billed at the price of the answering model if its provider has no such model', () => {
    for (const name of ['claude-opus-4-7', 'unknown']) assert.equal(advised(name, name).cost, '1740')
    const endpoint = endpointFor('m', { prices: sonnet.prices })
    assert.equal(advised('claude-opus-4-6', 'claude-opus-4-6', { endpoint }).cost, '1740')
  })

  test('is reserved at its own price, and needs no price as a tool', () => {
    const { exact } = advised('claude-opus-4-6', 'claude-opus-4-6')
    assert.deepEqual([exact.extraUsageBound?.unpriced, exact.extraUsageBound?.missingCallLimits], [[], []])
    assert.deepEqual([exact.prompt, exact.completion], [1_000_000, 5000])
    assert.equal(
      toDecimalUsd(highestCost(sonnet.prices, exact.prompt, exact.completion, exact.extraUsageBound)),
      '5250000',
    )
    assert.deepEqual(
      advised('unknown', 'unknown').exact.extraUsageBound?.unpriced.map(({ price }) => price),
      ['tools.advisor'],
    )
  })
  test('is reserved like the answering model if its provider has no such model', () => {
    const { exact } = advised('unknown', 'unknown', { tool: { max_tokens: undefined } })
    assert.deepEqual([exact.prompt, exact.completion], [1_000_000, 1000 + 2 * sonnet.maxCompletionTokens!])
    const long = { input_tokens: 100, output_tokens: sonnet.maxCompletionTokens! }
    const { charge } = advised('unknown', 'unknown', { runs: [long], tool: { max_tokens: undefined } })
    assert.deepEqual([charge.tokens.completion, charge.isCapped], [long.output_tokens + 30, false])
  })

  test('is billed at the service tier of the request', () => {
    const tiers = { fast: { prompt: '2', completion: '20' } }
    const endpoint = endpointFor('claude-sonnet-4-6', { prices: { ...sonnet.prices, serviceTiers: tiers } })
    const { charge } = advised('unknown', 'unknown', { endpoint, request: { speed: 'fast' } })
    assert.equal(toDecimalUsd(charge.cost), String(2 * 1000 + 20 * 30 + 2 * (2 * 120 + 20 * 10)))
  })

  test('has no effect on the price tier of the answering model, and its own cache', () => {
    const tiers = [{ fromPromptTokens: 1100, prompt: '3' }]
    const { charge } = advised('claude-opus-4-6', 'claude-opus-4-6')
    assert.deepEqual(chargedPrices({ ...sonnet.prices, tiers }, charge), { prompt: 1, completion: 10 })
    assert.equal(toDecimalUsd(cacheSavingOf(sonnet.prices, charge)!), String(2 * 20 * (5 - 0.5)))
  })

  test('costs at most the reservation, and leaves no negative tokens', () => {
    const count = fc.oneof(fc.nat(3000), fc.nat(60_000_000))
    const counts: fc.Arbitrary<Counts> = fc.record({
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
      cache_creation: fc.record({ ephemeral_1h_input_tokens: count }),
    })
    const runs: fc.Arbitrary<Counts[]> = fc.array(counts, { maxLength: 3 })
    const name = fc.constantFrom('claude-opus-4-6', 'unknown')
    const huge = { input_tokens: 1e9, output_tokens: 1e9 }
    const examples: [string, string, Counts[], Counts][] = [['claude-opus-4-6', 'claude-opus-4-6', [huge], run]]
    fc.assert(
      fc.property(name, name, runs, counts, (requested, reported, runs, response) => {
        const { charge, exact } = advised(requested, reported, {
          runs,
          own: response,
          tool: { caching: { ttl: '1h' } },
        })
        const max = highestCost(sonnet.prices, exact.prompt, exact.completion, exact.extraUsageBound)
        assert.ok(charge.cost <= max, `${toDecimalUsd(charge.cost)} of ${toDecimalUsd(max)}`)
        const { parts, ...own } = ownTokens(charge.tokens, charge.models)
        assert.ok(
          Object.values({ ...own, ...parts }).every((count) => count >= 0),
          JSON.stringify(own),
        )
      }),
      { examples },
    )
  })
})
