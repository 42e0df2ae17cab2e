import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatTool } from '#chat/chat-request.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { encodeProviderTool as anthropics, readAnthropicBillableOptions } from './anthropic/anthropic-tools.ts'
import { encodeProviderTool as geminis, readGeminiBillableOptions } from './gemini/gemini-tools.ts'
import {
  encodeProviderTool as openais,
  readChatBillableOptions,
  readResponsesBillableOptions,
} from './openai/openai-tools.ts'
import { encodeResponsesRequest } from './openai-responses/openai-responses-request.ts'

const tool = (type: string, ...fields: string[]) =>
  ({ type, ...Object.fromEntries(fields.map((name) => [name, [name]])), odd: 1 }) as unknown as ChatTool & {
    odd: number
  }
const without = ({ odd: _, ...rest }: ChatTool & { odd: number }) => rest

test('all fields of Anthropic tools are sent, and no others', () => {
  for (const [type, ...fields] of [
    ['web_search_20250305', 'name', 'max_uses', 'allowed_domains', 'blocked_domains', 'user_location', 'cache_control'],
    ['web_fetch_20250910', 'max_uses', 'allowed_domains', 'blocked_domains', 'citations', 'max_content_tokens'],
    ['code_execution_20250522', 'name'],
    ['tool_search_tool_regex_20251119', 'name'],
    ['tool_search_tool_bm25_20251119', 'name'],
    ['computer_20250124', 'display_width_px', 'display_height_px', 'display_number'],
    ['text_editor_20250728', 'max_characters'],
    ['bash_20250124', 'name'],
    ['memory_20250818', 'name'],
    ['custom', 'description', 'input_schema', 'strict', 'defer_loading'],
  ] as const)
    assert.deepEqual(anthropics(tool(type, ...fields)), without(tool(type, ...fields)), type)
  assert.equal(anthropics(tool('web_search')), undefined)
})

test('all fields of OpenAI tools are sent, and no others', () => {
  for (const [type, ...fields] of [
    ['web_search', 'filters', 'search_context_size', 'user_location'],
    ['web_search_preview', 'search_context_size', 'user_location'],
    ['file_search', 'vector_store_ids', 'max_num_results', 'filters', 'ranking_options'],
    ['code_interpreter', 'container'],
  ] as const)
    assert.deepEqual(openais(tool(type, ...fields)), without(tool(type, ...fields)), type)
  assert.equal(openais(tool('web_search_20250305')), undefined)
  assert.equal(openais(tool('constructor')), undefined)
})

test('Gemini tools are known by type and by name, with settings', () => {
  for (const [type, name, settings] of [
    ['google_search', 'googleSearch', { timeRangeFilter: 1, excludeDomains: 2 }],
    ['google_search_retrieval', 'googleSearchRetrieval', { dynamicRetrievalConfig: 1 }],
    ['google_maps', 'googleMaps', { enableWidget: 1 }],
    ['url_context', 'urlContext', {}],
    ['code_execution', 'codeExecution', {}],
  ] as const) {
    assert.deepEqual(geminis({ type, [name]: { ...settings, odd: 1 } } as never), { [name]: settings })
    assert.deepEqual(geminis({ [name]: settings } as never), { [name]: settings })
  }
  assert.equal(geminis({ type: 'function' } as never), undefined)
})

test('call limits are in the field that the provider reads', () => {
  const search = { type: 'web_search_20250305', max_uses: 3 }
  const limitsOf = (billableOptions: {
    tools: readonly { unit: string; maxCalls?: number | undefined; limitField?: string }[]
  }) => billableOptions.tools.map(({ unit, maxCalls, limitField }) => [unit, maxCalls, limitField])
  const anthropic = readAnthropicBillableOptions({
    tools: [search, { type: 'code_execution_20250522' }],
    speed: 'fast',
  })
  assert.deepEqual(limitsOf(anthropic), [
    ['web_search', 3, 'tools[0].max_uses'],
    ['code_execution', undefined, undefined],
  ])
  assert.deepEqual([anthropic.serviceTier, anthropic.rereadsContext], ['fast', true])
  const { tools, rereadsContext } = readGeminiBillableOptions(
    { tools: [{ type: 'url_context' }] },
    endpointFor('gemini-3-pro'),
  )
  assert.deepEqual([limitsOf({ tools }), rereadsContext], [[['url_context', 1, undefined]], false])
  const container = (limit: string) => ({ type: 'code_interpreter', container: { memory_limit: limit } })
  const sizes = readResponsesBillableOptions({
    tools: [container('1g'), container('64g'), { type: 'web_search_preview' }],
  })
  assert.deepEqual(
    sizes.tools.map(({ unit, reportedUnit }) => [unit, reportedUnit]),
    [
      ['code_interpreter', 'code_interpreter'],
      ['code_interpreter:64g', 'code_interpreter'],
      ['web_search_preview', 'web_search'],
    ],
  )
})

test('search options of a chat become a Responses tool, and are billable', () => {
  const user_location = { type: 'approximate', approximate: { city: 'Bern' } }
  const web_search_options = { search_context_size: 'low', user_location }
  const chat = { messages: [{ role: 'user' as const, content: 'Hi' }], web_search_options }
  const flat = { type: 'web_search', search_context_size: 'low', user_location: { type: 'approximate', city: 'Bern' } }
  assert.deepEqual(encodeResponsesRequest(chat, endpointFor('gpt-5')).tools, [flat])
  assert.deepEqual(readResponsesBillableOptions({ ...chat, max_tool_calls: 2 }).tools, [
    { unit: 'web_search', requestedBy: 'web_search_options', maxCalls: 2, limitField: 'max_tool_calls' },
  ])
})

test('search fields of a chat are billable, unless disabled', () => {
  const units = (chat: object) =>
    readChatBillableOptions({ ...chat }).tools.map(({ unit, maxCalls }) => [unit, maxCalls])
  assert.deepEqual(units({ web_search_options: {} }), [['web_search', 1]])
  assert.deepEqual(units({ enable_search: true, search_parameters: { mode: 'on' } }), [
    ['search_parameters', undefined],
    ['enable_search', undefined],
  ])
  assert.deepEqual(units({ enable_search: false, search_parameters: { mode: 'off' }, web_search_options: null }), [])
})
