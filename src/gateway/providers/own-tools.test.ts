import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatTool } from '#chat/chat-request.ts'
import { encoded, endpointFor, weatherTool } from '#test/harness/upstream/endpoints/encode-request.ts'
import type { ProviderProtocol } from '../protocol/provider-protocol.ts'
import { anthropicMessages } from './anthropic/anthropic-messages.ts'
import { googleGemini } from './gemini/google-gemini.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'

const sentBy = (providerProtocol: ProviderProtocol, ...tools: object[]) =>
  encoded(providerProtocol, 'model', { tools: tools as ChatTool[] }).body.tools
const unknown = { type: 'mine_bitcoin_20260101', name: 'miner', budget: 1e9 }

describe('a provider tool in another protocol', () => {
  test('has the fields that the protocol knows', () => {
    const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 3, allowed_domains: ['a.test'] }
    assert.deepEqual(sentBy(anthropicMessages, { ...search, depth: 'bottomless' }), [search])
    assert.deepEqual(sentBy(openaiResponses, { type: 'web_search', search_context_size: 'low', depth: 9 }), [
      { type: 'web_search', search_context_size: 'low' },
    ])
    const bare = [{ googleSearch: {} }]
    assert.deepEqual(sentBy(googleGemini, { type: 'google_search' }), bare)
    assert.deepEqual(sentBy(googleGemini, { type: 'google_search', google_search: { depth: 9 } }), bare)
  })

  test('is omitted if it is unknown', () => {
    for (const providerProtocol of [anthropicMessages, googleGemini, openaiResponses]) {
      assert.equal(providerProtocol.supportsTool!(unknown), false)
      assert.ok(!JSON.stringify(sentBy(providerProtocol, weatherTool, unknown)).includes('bitcoin'))
    }
  })
})

describe('billable options of a request', () => {
  const ordered = (providerProtocol: ProviderProtocol, body: object, model = 'model') =>
    providerProtocol.billableOptions!(body as Record<string, unknown>, endpointFor(model))
  const calls = (providerProtocol: ProviderProtocol, body: object, model?: string) =>
    ordered(providerProtocol, body, model).tools.map((tool) => [tool.unit, tool.maxCalls])

  test('have unit and limit of each tool', () => {
    const search = { type: 'web_search_20250305', name: 'web_search' }
    assert.deepEqual(calls(anthropicMessages, { tools: [{ ...search, max_uses: 3 }, search, weatherTool] }), [
      ['web_search', 3],
      ['web_search', undefined],
    ])
    assert.equal(ordered(anthropicMessages, { tools: [weatherTool, search] }).tools[0]?.limitField, 'tools[1].max_uses')
    const tools = [{ type: 'web_search_preview_2025_03_11' }, { type: 'computer_use_preview' }, { type: 'function' }]
    assert.deepEqual(calls(openaiResponses, { tools, max_tool_calls: 4 }), [['web_search_preview', 4]])
    const container = { type: 'auto', memory_limit: '4g' }
    assert.deepEqual(calls(openaiResponses, { tools: [{ type: 'code_interpreter', container }] }), [
      ['code_interpreter:4g', undefined],
    ])
  })

  test('count queries from Gemini 3, and before that the request', () => {
    const tools = [{ type: 'google_search' }]
    assert.deepEqual(calls(googleGemini, { tools }, 'gemini-2.5-flash'), [['google_search', 1]])
    assert.deepEqual(calls(googleGemini, { tools }, 'gemini-3-flash'), [['google_search', undefined]])
  })

  test('can be separate fields', () => {
    assert.deepEqual(calls(openaiChat, { web_search_options: {} }), [['web_search', 1]])
    assert.deepEqual(calls(openaiChat, { search_parameters: { mode: 'auto' } }), [['search_parameters', undefined]])
    assert.deepEqual(calls(openaiChat, { search_parameters: { mode: 'off' }, enable_search: false }), [])
    assert.deepEqual(calls(openaiChat, { tools: [weatherTool, null, 7, { type: 'openrouter:web_search' }] }), [
      ['openrouter:web_search', undefined],
    ])
  })

  test('include a service tier that is not the default', () => {
    const tier = (providerProtocol: ProviderProtocol, service_tier?: string) =>
      ordered(providerProtocol, { service_tier }).serviceTier
    assert.deepEqual(
      [tier(openaiChat, 'priority'), tier(openaiResponses, 'auto'), tier(openaiChat)],
      ['priority', undefined, undefined],
    )
    assert.equal(tier(anthropicMessages, 'priority'), undefined)
  })
})
