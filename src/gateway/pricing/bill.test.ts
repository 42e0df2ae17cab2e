import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Endpoint, Prices } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { decimalUsd } from '#platform/core/pico-usd.ts'
import { endpointFor } from '#test/harness/upstream/encode-request.ts'
import type { ProviderProtocol } from '../protocol/protocol.ts'
import { anthropicMessages } from '../providers/anthropic/anthropic-messages.ts'
import { googleGemini } from '../providers/gemini/google-gemini.ts'
import { openaiChat } from '../providers/openai-chat/openai-chat.ts'
import { openaiResponses } from '../providers/openai-responses/openai-responses.ts'
import { settledUsage } from '../record/settled-usage.ts'
import { billOf } from './bill.ts'
import { highestCost } from './highest-cost.ts'

const plain: Prices = { prompt: '0.000003', completion: '0.000015' }
const search = { type: 'web_search_20250305', name: 'web_search' }
const part = (content: object) => ({ messages: [{ role: 'user', content: [content] }] })

function billed(
  providerProtocol: ProviderProtocol,
  body: object,
  prices: Prices = plain,
  more: Partial<Endpoint> = {},
) {
  const whole = { messages: [{ role: 'user', content: 'Hi' }], ...body } as ChatRequest & Record<string, unknown>
  const forms = { chat: whole, body: whole, protocol: 'openai-responses' as const }
  return billOf(forms, { endpoint: endpointFor('gemini-3-pro', { prices, ...more }) }, providerProtocol)
}

describe('what a request may have billed besides text', () => {
  test('is nothing for most of them', () => {
    for (const providerProtocol of [openaiChat, openaiResponses, anthropicMessages, googleGemini])
      assert.equal(billed(providerProtocol, { service_tier: 'auto', tools: [{ type: 'function' }] }), undefined)
  })

  test('is as many calls as it says, and the context once more than that', () => {
    const tools = [
      { ...search, max_uses: 2 },
      { type: 'web_fetch_20250910', max_uses: 3 },
    ]
    const { pieces, contexts } = billed(anthropicMessages, { tools })!
    assert.deepEqual([pieces, contexts], [{ web_search: 2, web_fetch: 3 }, 6])
  })

  test('is any of the tools that share one bound', () => {
    const tools = [{ type: 'web_search' }, { type: 'file_search' }]
    const { pieces, contexts } = billed(openaiResponses, { tools, max_tool_calls: 4 })!
    assert.deepEqual([pieces, contexts], [{ web_search: 4, file_search: 4 }, 5])
  })

  test('is sixteen where no request can say, and the context of Gemini is read once', () => {
    const { pieces, contexts, unbounded } = billed(googleGemini, { tools: [{ type: 'google_search' }] })!
    assert.deepEqual([pieces, contexts, unbounded], [{ google_search: 16 }, 1, []])
    assert.deepEqual(billed(anthropicMessages, { tools: [search] })?.unbounded, ['tools[0].max_uses'])
  })

  test('is what a file may hold that nobody can look into', () => {
    const hears = (content: object) =>
      billOf(
        { chat: part(content) as ChatRequest, body: {} },
        { endpoint: endpointFor('m'), model: { inputModalities: ['text', 'audio'], outputModalities: ['text'] } },
        openaiChat,
      )?.kinds
    assert.deepEqual(hears({ type: 'file', file: { file_data: 'https://a.test/talk' } }), ['audioPrompt'])
    assert.deepEqual(hears({ type: 'file', file: { file_data: 'data:audio/mp3;base64,AA' } }), ['audioPrompt'])
    assert.equal(hears({ type: 'file', file: { file_data: 'https://a.test/talk.pdf' } }), undefined)
  })

  test('names what has no price; where text is free, so is all that is counted in tokens', () => {
    const asked = { ...part({ type: 'input_audio', input_audio: {} }), service_tier: 'priority' }
    const prices = (free: boolean) => (free ? { prompt: '0', completion: '0' } : plain)
    const unpriced = (free: boolean) => billed(openaiChat, asked, prices(free))?.unpriced.map(({ price }) => price)
    assert.deepEqual([unpriced(false), unpriced(true)], [['audio_prompt', 'service_tiers.priority'], []])
    assert.deepEqual(billed(openaiChat, { service_tier: 'flex' })?.unpriced, [])
  })

  test('is set aside at the dearest of all that may come together', () => {
    const prices: Prices = { ...plain, cacheWrite: '0.000004', cacheWrite1h: '0.000006', reasoning: '0.00002' }
    const usd = (bill?: ReturnType<typeof billed>) => decimalUsd(highestCost(prices, 1000, 100, bill))
    assert.equal(usd(), '0.006')
    const kept = billed(anthropicMessages, { cache_control: { type: 'ephemeral', ttl: '1h' } }, prices)
    assert.equal(usd(kept), '0.008')
  })
})

describe('what was billed besides text', () => {
  const tokens = { prompt: 100, completion: 50, cached: 0, cacheWritten: 40, reasoning: 0 }
  const took = (body: object, extras: object | undefined, prices: Prices = plain) =>
    settledUsage(billed(openaiChat, body, prices), prices, { tokens, extras })

  test('is all of the dear kind that was asked for, where nobody says how much', () => {
    const sound = part({ type: 'input_audio', input_audio: {} })
    assert.deepEqual(took(sound, undefined).tokens.parts, { audioPrompt: 100 })
    const kept = part({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } })
    assert.deepEqual(took(kept, undefined).tokens.parts, { cacheWritten1h: 40 })
    assert.deepEqual(took({}, { pieces: { audio: 3 } }).tokens.parts, { audioCompletion: 50 })
    assert.equal(took({}, { pieces: { audio: 3 } }).extras, undefined)
  })

  test('is the tier that was asked for, unless the provider says another', () => {
    const tier = (told?: string) =>
      took({ service_tier: 'priority' }, told === undefined ? undefined : { serviceTier: told }).extras?.serviceTier
    assert.deepEqual([tier(), tier('priority'), tier('default')], ['priority', 'priority', undefined])
  })

  test('is called what was asked for, whatever the answer calls it', () => {
    const bill = billed(openaiResponses, { tools: [{ type: 'web_search_preview' }], max_tool_calls: 9 })
    const { extras } = settledUsage(bill, plain, { tokens, extras: { pieces: { web_search: 2 } } })
    assert.deepEqual(extras?.pieces, { web_search_preview: 2 })
  })

  test('is each image of the prompt, where one has a price', () => {
    const pictures = part({ type: 'image_url', image_url: { url: 'https://a.test/1' } })
    assert.equal(took(pictures, undefined).extras, undefined)
    assert.deepEqual(took(pictures, undefined, { ...plain, image: '0.04' }).extras?.pieces, { image: 1 })
  })
})
