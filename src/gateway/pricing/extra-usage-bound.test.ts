import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Endpoint, Prices } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { toDecimalUsd } from '#platform/core/pico-usd.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import type { ProviderProtocol } from '../protocol/provider-protocol.ts'
import { anthropicMessages } from '../providers/anthropic/anthropic-messages.ts'
import { googleGemini } from '../providers/gemini/google-gemini.ts'
import { openaiChat } from '../providers/openai-chat/openai-chat.ts'
import { openaiResponses } from '../providers/openai-responses/openai-responses.ts'
import { computeExtraUsageBound } from './extra-usage-bound.ts'
import { highestCost } from './highest-cost.ts'
import { settledUsage } from './settled-usage.ts'

const plain: Prices = { prompt: '0.000003', completion: '0.000015' }
const search = { type: 'web_search_20250305', name: 'web_search' }
const part = (content: object) => ({ messages: [{ role: 'user', content: [content] }] })

function boundOf(
  providerProtocol: ProviderProtocol,
  body: object,
  prices: Prices = plain,
  more: Partial<Endpoint> = {},
) {
  const whole = { messages: [{ role: 'user', content: 'Hi' }], ...body } as ChatRequest & Record<string, unknown>
  const bodies = { chat: whole, body: whole, protocol: 'openai-responses' as const }
  return computeExtraUsageBound(
    bodies,
    { endpoint: endpointFor('gemini-3-pro', { prices, ...more }) },
    providerProtocol,
  )
}

describe('the bound of billed units other than text', () => {
  test('is undefined for most requests', () => {
    for (const providerProtocol of [openaiChat, openaiResponses, anthropicMessages, googleGemini])
      assert.equal(boundOf(providerProtocol, { service_tier: 'auto', tools: [{ type: 'function' }] }), undefined)
  })

  test('has the limit of calls, and one more context', () => {
    const tools = [
      { ...search, max_uses: 2 },
      { type: 'web_fetch_20250910', max_uses: 3 },
    ]
    const { unitCounts, contextReads } = boundOf(anthropicMessages, { tools })!
    assert.deepEqual([unitCounts, contextReads], [{ web_search: 2, web_fetch: 3 }, 6])
  })

  test('counts a shared bound for each tool', () => {
    const tools = [{ type: 'web_search' }, { type: 'file_search' }]
    const { unitCounts, contextReads } = boundOf(openaiResponses, { tools, max_tool_calls: 4 })!
    assert.deepEqual([unitCounts, contextReads], [{ web_search: 4, file_search: 4 }, 5])
  })

  test('counts the calls of a tool with the name of a method of objects', () => {
    const tools = [{ type: 'constructor' }, { type: 'constructor' }]
    assert.deepEqual({ ...boundOf(openaiResponses, { tools, max_tool_calls: 4 })?.unitCounts }, { constructor: 8 })
  })

  test('assumes sixteen calls without a limit, and one context for Gemini', () => {
    const { unitCounts, contextReads, missingCallLimits } = boundOf(googleGemini, {
      tools: [{ type: 'google_search' }],
    })!
    assert.deepEqual([unitCounts, contextReads, missingCallLimits], [{ google_search: 16 }, 1, []])
    assert.deepEqual(boundOf(anthropicMessages, { tools: [search] })?.missingCallLimits, ['tools[0].max_uses'])
  })

  test('has all token types that an opaque file can contain', () => {
    const hears = (content: object) =>
      computeExtraUsageBound(
        { chat: part(content) as ChatRequest, body: {} },
        { endpoint: endpointFor('m'), model: { inputModalities: ['text', 'audio'], outputModalities: ['text'] } },
        openaiChat,
      )?.tokenTypes
    assert.deepEqual(hears({ type: 'file', file: { file_data: 'https://a.test/talk' } }), ['audioPrompt'])
    assert.deepEqual(hears({ type: 'file', file: { file_data: 'data:audio/mp3;base64,AA' } }), ['audioPrompt'])
    assert.equal(hears({ type: 'file', file: { file_data: 'https://a.test/talk.pdf' } }), undefined)
  })

  test('names units without a price, unless text is free', () => {
    const requestedBy = { ...part({ type: 'input_audio', input_audio: {} }), service_tier: 'priority' }
    const prices = (free: boolean) => (free ? { prompt: '0', completion: '0' } : plain)
    const unpriced = (free: boolean) =>
      boundOf(openaiChat, requestedBy, prices(free))?.unpriced.map(({ price }) => price)
    assert.deepEqual([unpriced(false), unpriced(true)], [['audio_prompt', 'service_tiers.priority'], []])
    assert.deepEqual(boundOf(openaiChat, { service_tier: 'flex' })?.unpriced, [])
  })

  test('is reserved at the highest combination of prices', () => {
    const prices: Prices = { ...plain, cacheWrite: '0.000004', cacheWrite1h: '0.000006', reasoning: '0.00002' }
    const usd = (bound?: ReturnType<typeof boundOf>) => toDecimalUsd(highestCost(prices, 1000, 100, bound))
    assert.equal(usd(), '0.006')
    const longCache = boundOf(anthropicMessages, { cache_control: { type: 'ephemeral', ttl: '1h' } }, prices)
    assert.equal(usd(longCache), '0.008')
  })
})

describe('billed units other than text', () => {
  const tokens = { prompt: 100, completion: 50, cached: 0, cacheWritten: 40, reasoning: 0 }
  const took = (body: object, extras: object | undefined, prices: Prices = plain) =>
    settledUsage(boundOf(openaiChat, body, prices), prices, { tokens, extras })

  test('count as the most expensive requested type without a report', () => {
    const sound = part({ type: 'input_audio', input_audio: {} })
    assert.deepEqual(took(sound, undefined).tokens.parts, { audioPrompt: 100 })
    const longCache = part({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } })
    assert.deepEqual(took(longCache, undefined).tokens.parts, { cacheWritten1h: 40 })
    assert.deepEqual(took({}, { pieces: { audio: 3 } }).tokens.parts, { audioCompletion: 50 })
    assert.equal(took({}, { pieces: { audio: 3 } }).extras, undefined)
  })

  test('have the requested tier, unless the provider reports another', () => {
    const tier = (usage?: string) =>
      took({ service_tier: 'priority' }, usage === undefined ? undefined : { serviceTier: usage }).extras?.serviceTier
    assert.deepEqual([tier(), tier('priority'), tier('default')], ['priority', 'priority', undefined])
  })

  test('have the name in the request, not in the response', () => {
    const bound = boundOf(openaiResponses, { tools: [{ type: 'web_search_preview' }], max_tool_calls: 9 })
    const { extras } = settledUsage(bound, plain, { tokens, extras: { pieces: { web_search: 2 } } })
    assert.deepEqual(extras?.pieces, { web_search_preview: 2 })
  })

  test('include each image of the prompt, if images have a price', () => {
    const pictures = part({ type: 'image_url', image_url: { url: 'https://a.test/1' } })
    assert.equal(took(pictures, undefined).extras, undefined)
    assert.deepEqual(took(pictures, undefined, { ...plain, image: '0.04' }).extras?.pieces, { image: 1 })
  })
})
