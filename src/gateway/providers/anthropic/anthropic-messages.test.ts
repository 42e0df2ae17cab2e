import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { encoded, endpointFor, weatherCall, weatherTool } from '#test/harness/upstream/endpoints/encode-request.ts'
import { anthropicMessages } from './anthropic-messages.ts'

const old = 'claude-sonnet-4-20250514'
const bodyOf = (chat: Partial<ChatRequest>, model = old) => encoded(anthropicMessages, model, chat).body

const calling = (...ids: string[]) => ({
  role: 'assistant' as const,
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'weather', arguments: '{}' } })),
})

describe('anthropic-messages, requests', () => {
  test('system is separate from the messages, and roles alternate', () => {
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'Hi' },
      { role: 'user' as const, content: 'there' },
      { role: 'assistant' as const, content: 'Hello' },
      { role: 'developer' as const, content: 'Kindly.' },
    ]
    const { path, headers, body } = encoded(anthropicMessages, old, { messages }, false)
    assert.deepEqual([path, headers], ['/messages', { 'anthropic-version': '2023-06-01', 'x-api-key': 'secret' }])
    const text = (content: string) => ({ type: 'text', text: content })
    assert.deepEqual(body, {
      model: old,
      stream: false,
      max_tokens: 64_000,
      system: [text('Be brief.'), text('Kindly.')],
      messages: [
        { role: 'user', content: [text('Hi'), text('there')] },
        { role: 'assistant', content: [text('Hello')] },
      ],
    })
  })

  test('a call and its result, with and without an error', () => {
    const { messages } = bodyOf({ messages: weatherCall() })
    assert.deepEqual(messages[1].content, [
      { type: 'tool_use', id: 'call_A', name: 'weather', input: { city: 'Rome' } },
    ])
    const content = [{ type: 'text', text: '{"sky":"blue"}' }]
    assert.deepEqual(messages[2], { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_A', content }] })
    const failed = { role: 'tool', tool_call_id: 'call_A', content: 'no', is_error: true } as never
    assert.equal(bodyOf({ messages: [calling('call_A'), failed] }).messages.at(-1).content[0].is_error, true)
  })

  test('results of parallel calls are one turn, with images', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const messages = [
      calling('a', 'b'),
      { role: 'tool' as const, tool_call_id: 'a', content: [image] },
      { role: 'tool' as const, tool_call_id: 'b', content: '' },
      { role: 'user' as const, content: 'Continue.' },
    ]
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
    assert.deepEqual(bodyOf({ messages }).messages.slice(2), [
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source }] },
          { type: 'tool_result', tool_use_id: 'b' },
          { type: 'text', text: 'Continue.' },
        ],
      },
    ])
  })

  test('arguments that are not JSON do not break the conversation', () => {
    const broken = [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":' } }]
    const messages = [{ role: 'assistant' as const, content: null, tool_calls: broken }]
    assert.deepEqual(bodyOf({ messages }).messages[1].content[0].input, {})
  })

  test('documents and images, inline and by URL', () => {
    const content = [
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,BBBB', filename: 'b.pdf' } },
      { type: 'file', file: { file_data: `data:text/markdown;base64,${btoa('# Hi')}` } },
      { type: 'file', file: { file_data: 'https://example.com/c.pdf' } },
    ]
    assert.deepEqual(bodyOf({ messages: [{ role: 'user', content }] }).messages[0].content, [
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' }, title: 'b.pdf' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '# Hi' } },
      { type: 'document', source: { type: 'url', url: 'https://example.com/c.pdf' } },
    ])
  })

  test('cache breakpoints of the request, of parts, tools and results', () => {
    const cache_control = { type: 'ephemeral' }
    const part = { type: 'text', text: 'Long', cache_control }
    const messages = [
      { role: 'system' as const, content: [part] },
      calling('a'),
      { role: 'tool' as const, tool_call_id: 'a', content: [part] },
    ]
    const body = bodyOf({ messages, cache_control, tools: [{ ...weatherTool, cache_control } as never] })
    assert.deepEqual(body.cache_control, cache_control)
    assert.deepEqual(body.system[0].cache_control, cache_control)
    assert.deepEqual(body.tools[0].cache_control, cache_control)
    const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'Long' }], cache_control }
    assert.deepEqual(body.messages.at(-1).content[0], result)
  })

  test('tool choices', () => {
    const choose = (chat: Partial<ChatRequest>) => bodyOf({ tools: [weatherTool], ...chat }).tool_choice
    assert.equal(choose({}), undefined)
    assert.deepEqual(choose({ tool_choice: 'none' }), { type: 'none' })
    assert.deepEqual(choose({ tool_choice: 'required' }), { type: 'any' })
    const named = { type: 'function', function: { name: 'weather' } }
    assert.deepEqual(choose({ tool_choice: named }), { type: 'tool', name: 'weather' })
    assert.deepEqual(choose({ parallel_tool_calls: false }), { type: 'auto', disable_parallel_tool_use: true })
  })

  test('a response schema becomes the output configuration', () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false }
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } }
    assert.deepEqual(bodyOf({ response_format }, 'claude-sonnet-4-5').output_config, {
      format: { type: 'json_schema', schema },
    })
  })

  test('temperatures are limited to 1 and sent without top_p', () => {
    const { temperature, top_p, top_k } = bodyOf({ temperature: 1.7, top_p: 0.9, top_k: 40 })
    assert.deepEqual([temperature, top_p, top_k], [1, undefined, 40])
    assert.equal(bodyOf({ top_p: 0.9 }).top_p, 0.9)
  })

  test('limit, stops, end user and tier have the names of the protocol', () => {
    const body = bodyOf({ max_completion_tokens: 99, stop: 'END', user: 'u', service_tier: 'default' })
    const { max_tokens, stop_sequences, metadata, service_tier } = body
    assert.deepEqual(
      [max_tokens, stop_sequences, metadata, service_tier],
      [99, ['END'], { user_id: 'u' }, 'standard_only'],
    )
  })

  test('an error has the message of the upstream', () => {
    const body = { type: 'error', error: { type: 'invalid_request_error', message: 'max_tokens: too large' } }
    assert.equal(anthropicMessages.readErrorMessage(body), 'max_tokens: too large')
    assert.deepEqual(anthropicMessages.readBody(body), [
      { type: 'error', message: 'max_tokens: too large', status: 400, code: 'invalid_request_error' },
    ])
  })
})

describe('anthropic-messages, thinking', () => {
  const high = { reasoning: { effort: 'high' } }

  test('models up to 4.5 reason by budget, without sampling settings', () => {
    for (const model of [old, 'claude-3-7-sonnet-latest', 'claude-opus-4-1-20250805', 'claude-haiku-4-5']) {
      const { thinking, max_tokens, temperature } = bodyOf({ ...high, max_tokens: 10_000, temperature: 1 }, model)
      assert.deepEqual(thinking, { type: 'enabled', budget_tokens: 8000 }, model)
      assert.deepEqual([max_tokens, temperature], [10_000, undefined])
    }
  })

  test('a budget leaves room for the requested response', () => {
    const { thinking, max_tokens } = bodyOf({ reasoning: { max_tokens: 2000 }, max_tokens: 500 })
    assert.deepEqual([thinking.budget_tokens, max_tokens], [2000, 2500])
    const small = endpointFor(old, { maxCompletionTokens: 2048 })
    const { body } = encoded(anthropicMessages, small, { reasoning: { max_tokens: 4000 } })
    assert.deepEqual([body.thinking.budget_tokens, body.max_tokens], [2047, 2048])
  })

  test('models from 4.6 reason by effort, and show it', () => {
    const adaptive = { type: 'adaptive', display: 'summarized' }
    for (const model of ['claude-opus-4-6', 'claude-opus-4-7', 'claude-opus-5', 'anthropic/claude-sonnet-4.6']) {
      const { thinking, output_config } = bodyOf(high, model)
      assert.deepEqual([thinking, output_config], [adaptive, { effort: 'high' }], model)
    }
    assert.equal(bodyOf({ reasoning_effort: 'minimal' }, 'claude-opus-4-6').output_config.effort, 'low')
    assert.equal(bodyOf({ reasoning_effort: 'xhigh' }, 'claude-opus-4-6').output_config.effort, 'high')
    assert.equal(bodyOf({ reasoning_effort: 'xhigh' }, 'claude-opus-4-7').output_config.effort, 'xhigh')
  })

  test('models after 4.6 get no sampling settings', () => {
    assert.equal(bodyOf({ temperature: 0.2 }, 'claude-opus-4-7').temperature, undefined)
    assert.equal(bodyOf({ temperature: 0.2 }, 'claude-opus-4-6').temperature, 0.2)
  })

  test('reasoning is not enabled by default, or if disabled', () => {
    for (const chat of [{}, { reasoning: { enabled: false } }, { reasoning_effort: 'none' }])
      assert.equal(bodyOf(chat).thinking, undefined)
  })

  test('a forced tool call disables reasoning', () => {
    assert.equal(bodyOf({ ...high, tools: [weatherTool], tool_choice: 'required' }).thinking, undefined)
    assert.ok(bodyOf({ ...high, tools: [weatherTool], tool_choice: 'auto' }).thinking)
  })

  test('a tool call without its reasoning disables the budget', () => {
    assert.equal(bodyOf({ ...high, messages: weatherCall() }).thinking, undefined)
    assert.ok(bodyOf({ ...high, messages: weatherCall() }, 'claude-opus-4-6').thinking)
    const thought = { type: 'reasoning.text', text: 'Hm', signature: 's', format: 'anthropic-claude-v1' }
    assert.ok(bodyOf({ ...high, messages: weatherCall({ reasoning_details: [thought] }) }).thinking)
  })

  test('reasoning with only a signature counts as missing', () => {
    const piece = { type: 'reasoning.text', text: '', signature: 's', format: 'anthropic-claude-v1' }
    const body = bodyOf({ ...high, messages: weatherCall({ reasoning_details: [piece] }) })
    assert.deepEqual([body.thinking, body.messages[1].content.length], [undefined, 1])
  })

  test('reasoning of other providers is not sent', () => {
    const foreign = { type: 'reasoning.encrypted', data: 'CikB', id: 'call_A', format: 'google-gemini-v1' }
    const { messages } = bodyOf({ messages: weatherCall({ reasoning_details: [foreign] }) })
    assert.equal(messages[1].content[0].type, 'tool_use')
  })
})
