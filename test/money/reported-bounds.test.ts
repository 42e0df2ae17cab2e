import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Prices } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { LazyUsageBound } from '#gateway/admission/bounds/lazy-usage-bound.ts'
import { worstCaseCost } from '#gateway/admission/bounds/worst-case.ts'
import type { Target } from '#gateway/plan/plan.ts'
import { protocols } from '#gateway/providers/protocols.ts'
import { computeCharge } from '#gateway/record/charge/charge.ts'
import { ResponseCounter } from '#gateway/record/response-counter.ts'
import { parsePicoUsd, toDecimalUsd } from '#platform/core/pico-usd.ts'
import { endpointFor } from '../harness/upstream/endpoints/encode-request.ts'
import type { SimulatedProtocol } from '../harness/upstream/provider-facts.ts'

const prices: Prices = {
  ...{ prompt: '1', completion: '10', cacheRead: '0.1', cacheWrite: '2', cacheWrite1h: '4', reasoning: '20' },
  ...{ audioPrompt: '30', audioCompletion: '40', imageCompletion: '50', image: '100', request: '7' },
  tools: { web_search: '1000' },
  tiers: [{ fromPromptTokens: 500, prompt: '3', completion: '15' }],
  serviceTiers: { priority: { prompt: '5', completion: '60' }, fast: { prompt: '6', completion: '60' } },
}

const count = fc.oneof(fc.nat(50), fc.nat(3000), fc.constantFrom(0, -1, 1.5, '7', null, undefined, 1e9, 1e12))
const record = (...names: string[]) => fc.record(Object.fromEntries(names.map((name) => [name, count])))
const modalities = (...names: string[]) =>
  fc.array(fc.record({ modality: fc.constantFrom(...names), tokenCount: count }), { maxLength: 2 })
const tier = fc.constantFrom(undefined, 'default', 'priority', 'flex')

type Reported = { usage: fc.Arbitrary<object>; body: (usage: object, service_tier: string | undefined) => object }

/** Random usage of each protocol, in whole responses. */
const reports: Record<SimulatedProtocol, Reported> = {
  'openai-chat': {
    usage: fc
      .tuple(
        record('prompt_tokens', 'completion_tokens', 'total_tokens', 'cached_tokens', 'num_search_queries'),
        record('cached_tokens', 'audio_tokens', 'cache_write_tokens'),
        record('reasoning_tokens', 'audio_tokens', 'image_tokens'),
      )
      .map(([usage, prompt, completion]) => ({
        ...usage,
        prompt_tokens_details: prompt,
        completion_tokens_details: completion,
      })),
    body: (usage, service_tier) => ({
      choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }],
      usage,
      service_tier,
    }),
  },
  'openai-responses': {
    usage: fc
      .tuple(
        record('input_tokens', 'output_tokens', 'total_tokens'),
        record('cached_tokens', 'audio_tokens'),
        record('reasoning_tokens', 'audio_tokens', 'image_tokens'),
      )
      .map(([usage, input, output]) => ({ ...usage, input_tokens_details: input, output_tokens_details: output })),
    body: (usage, service_tier) => ({
      status: 'completed',
      output: [
        { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
        ...Array(9).fill({ type: 'web_search_call', action: { type: 'search' } }),
      ],
      usage,
      service_tier,
    }),
  },
  'anthropic-messages': {
    usage: fc
      .tuple(
        record('input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'),
        record('ephemeral_1h_input_tokens', 'ephemeral_5m_input_tokens'),
        record('web_search_requests'),
        fc.constantFrom('standard', 'fast'),
      )
      .map(([usage, cache_creation, server_tool_use, speed]) => ({ ...usage, cache_creation, server_tool_use, speed })),
    body: (usage) => ({ content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage }),
  },
  'google-gemini': {
    usage: fc
      .tuple(
        record('promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount'),
        record('cachedContentTokenCount', 'toolUsePromptTokenCount'),
        modalities('AUDIO', 'TEXT'),
        modalities('AUDIO', 'IMAGE'),
      )
      .map(([usage, more, promptTokensDetails, candidatesTokensDetails]) => ({
        ...{ ...usage, ...more },
        ...{ promptTokensDetails, candidatesTokensDetails },
      })),
    body: (usageMetadata) => ({
      candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata,
    }),
  },
}

const target = {
  endpoint: endpointFor('m', { prices }),
  model: { inputModalities: ['text'], outputModalities: ['text'] },
} as unknown as Target

for (const [protocol, { usage, body }] of Object.entries(reports) as [SimulatedProtocol, Reported][]) {
  const provider = protocols[protocol]
  for (const tools of [undefined, [{ type: 'web_search_20250305', max_uses: 2 }]]) {
    if (tools && protocol !== 'anthropic-messages') continue
    const chat = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100, ...(tools && { tools }) }
    const bodies = { chat: chat as unknown as ChatRequest, body: chat, protocol: protocol as 'anthropic-messages' }
    const reserved = worstCaseCost(bodies, [target], () => provider)

    test(`no report of ${protocol} costs more than was reserved${tools ? ', with searches' : ''}`, () =>
      fc.assert(
        fc.property(usage, tier, (reported, serviceTier) => {
          const counter = new ResponseCounter(() => 0)
          counter.count(provider.readBody(body(reported, serviceTier)))
          const bound = new LazyUsageBound(bodies, target, provider)
          const end = { isFullyRead: true, generatedTokens: undefined }
          const { cost, margin, extras } = computeCharge(
            { prices, bound, promptEstimate: () => 5 },
            counter.result(),
            end,
          )
          // A chat cannot limit the searches of its provider: all of them are charged.
          const searches = protocol === 'openai-chat' ? (extras?.pieces?.web_search ?? 0) : 0
          const max = reserved + BigInt(searches) * parsePicoUsd('1000')
          assert.ok(cost >= 0n && margin >= 0n)
          assert.ok(cost + margin <= max, `${toDecimalUsd(cost + margin)} of ${toDecimalUsd(max)}`)
        }),
        { numRuns: 500 },
      ))
  }
}
