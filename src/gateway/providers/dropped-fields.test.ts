import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChatRequest } from '#chat/chat-request.ts'
import { serviceOnlyFields } from '#chat/fields/service-only-fields.ts'
import { endpointFor, weatherTool } from '#test/harness/upstream/endpoints/encode-request.ts'
import type { ProviderProtocol } from '../protocol/provider-protocol.ts'
import { anthropicMessages } from './anthropic/anthropic-messages.ts'
import { googleGemini } from './gemini/google-gemini.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'

const location = { type: 'approximate', approximate: { country: 'DE' } }

/** A value of each field that asks for something other than its default. */
const values: Record<string, unknown> = {
  temperature: 0.5,
  top_p: 0.5,
  top_k: 4,
  top_a: 0.1,
  min_p: 0.1,
  frequency_penalty: 0.5,
  presence_penalty: 0.5,
  repetition_penalty: 1.1,
  logit_bias: { 50256: -100 },
  logprobs: true,
  top_logprobs: 2,
  seed: 4,
  stop: ['END'],
  max_tokens: 5000,
  max_completion_tokens: 5000,
  best_of: 2,
  reasoning: { effort: 'high' },
  reasoning_effort: 'high',
  response_format: { type: 'grammar', grammar: 'root ::= "a"' },
  verbosity: 'low',
  tools: [weatherTool],
  tool_choice: 'required',
  parallel_tool_calls: false,
  modalities: ['image', 'text'],
  image_config: { aspect_ratio: '16:9' },
  cache_control: { type: 'ephemeral' },
  prompt_cache_options: { mode: 'explicit' },
  service_tier: 'flex',
  store: true,
  user: 'u',
  safety_identifier: 's',
  prompt_cache_key: 'k',
  metadata: { a: 'b' },
  safety_settings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  web_search_options: { search_context_size: 'low', user_location: location },
  prompt_cache_retention: '24h',
  max_tool_calls: 3,
  guided_regex: 'a+',
}

/** Fields that need no name: providers cache anyway, and those without the tools of a request are excluded. */
const unnamed = new Set(['cache_control', 'prompt_cache_options', 'web_search_options', 'max_tool_calls'])

/** Fields that do not reach a provider, and those that other tests cover. */
const others = new Set([...serviceOnlyFields, 'messages', 'model', 'stream', 'stream_options', 'n'])

const protocols: [ProviderProtocol, string][] = [
  [openaiResponses, 'gpt-5'],
  [anthropicMessages, 'claude-sonnet-4-5'],
  [googleGemini, 'gemini-3-pro'],
]

test('the values cover each field of a chat', () =>
  assert.deepEqual(
    Object.keys(ChatRequest.shape).filter((name) => !(name in values) && !others.has(name)),
    [],
  ))

for (const [protocol, model] of protocols)
  test(`a field of a chat is sent or named as dropped: ${protocol.protocol}`, () => {
    const endpoint = endpointFor(model, { supportedParameters: ['reasoning'] })
    const encode = (more: object) => {
      const request = { messages: [{ role: 'user', content: 'Hi' }], tools: [weatherTool], ...more } as ChatRequest
      const { body, dropped = [] } = protocol.encode(request, { endpoint, credential: 'secret', stream: false })
      return { text: JSON.stringify(body), dropped }
    }
    const { text: usual } = encode({})
    const lost = Object.entries(values).filter(([name, value]) => {
      const { text, dropped } = encode({ [name]: value })
      return name !== 'tools' && !unnamed.has(name) && text === usual && !dropped.includes(name)
    })
    assert.deepEqual(
      lost.map(([name]) => name),
      [],
    )
  })
