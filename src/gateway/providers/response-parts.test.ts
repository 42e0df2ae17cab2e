import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { anthropicMessages } from './anthropic/anthropic-messages.ts'
import { googleGemini } from './gemini/google-gemini.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'

type Reader = (event: { event: undefined; data: string; raw: Buffer }) => CompletionEvent[]
const streamed = (read: Reader, events: object[]) =>
  [...events.map((event) => JSON.stringify(event)), '[DONE]'].flatMap((data) =>
    read({ event: undefined, data, raw: Buffer.alloc(0) }),
  )
const only = (events: CompletionEvent[], ...types: CompletionEvent['type'][]) =>
  events.filter(({ type }) => types.includes(type))

const source = { url: 'https://a.example/', title: 'A' }

describe('parts of responses other than text', () => {
  const chat = (message: object) => openaiChat.readBody({ id: 'c1', choices: [{ message, finish_reason: 'stop' }] })

  test('content in parts is read as text and reasoning', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }
    const events = chat({ content: [thinking, { type: 'text', text: 'Yes.' }] })
    assert.deepEqual(only(events, 'text', 'reasoning'), [
      { type: 'reasoning', text: 'Hm', field: 'thinking' },
      { type: 'text', text: 'Yes.' },
    ])
  })

  test('a call without an id gets one from its response and index', () => {
    const call = { type: 'function', function: { name: 'weather', arguments: '{}' } }
    const ids = only(chat({ tool_calls: [call, { ...call, id: '' }, { ...call, id: 'x' }] }), 'tool_call')
    assert.deepEqual(
      ids.map((event) => event.type === 'tool_call' && event.id),
      ['call_c1_0', 'call_c1_1', 'x'],
    )
  })

  test('reasoning details keep their signatures, and text is read once', () => {
    const detail = { type: 'reasoning.text', text: 'Hm', signature: 's', format: 'anthropic-claude-v1', id: 'r' }
    const [thought, ...others] = only(chat({ reasoning: 'Hm', reasoning_details: [detail] }), 'reasoning')
    const { type: _type, ...mark } = detail
    assert.deepEqual([thought, others], [{ type: 'reasoning', via: 'chat', ...mark }, []])
  })

  test('images are read and counted', () => {
    const url = 'data:image/png;base64,AAAA'
    const ofChat = chat({ images: [{ type: 'image_url', image_url: { url } }] })
    const parts = [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }]
    const ofGemini = googleGemini.readBody({ candidates: [{ content: { parts }, finishReason: 'STOP' }] })
    const item = { type: 'image_generation_call', id: 'ig_1', result: 'AAAA', output_format: 'png' }
    const ofResponses = openaiResponses.readBody({ status: 'completed', output: [item] })
    for (const events of [ofChat, ofGemini, ofResponses])
      assert.deepEqual(only(events, 'image'), [{ type: 'image', url }])
    for (const events of [ofChat, ofGemini]) assert.equal(only(events, 'billed_piece').length, 1)
  })

  test('input of a provider tool is not a call of a client tool', () => {
    const start = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
    const input = (index: number, partial_json: string) => {
      return { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }
    }
    const events = streamed(anthropicMessages.createReader(), [
      start(0, { type: 'server_tool_use', id: 'srv', name: 'web_fetch', input: {} }),
      input(0, '{"url":1}'),
      { type: 'content_block_stop', index: 0 },
      start(1, { type: 'tool_use', id: 't', name: 'weather', input: {} }),
      input(1, '{}'),
    ])
    assert.deepEqual(only(events, 'tool_arguments'), [{ type: 'tool_arguments', index: 0, text: '{}' }])
  })

  test('a custom call is read as one, whole and streamed', () => {
    const item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'patch' }
    const whole = openaiResponses.readBody({ status: 'completed', output: [{ ...item, input: 'a b' }] })
    const pieces = streamed(openaiResponses.createReader(), [
      { type: 'response.output_item.added', output_index: 0, item: { ...item, input: '' } },
      { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: 'a b' },
      { type: 'response.output_item.done', output_index: 0, item: { ...item, input: 'a b' } },
    ])
    const expected = [
      { type: 'tool_call', index: 0, id: 'call_1', name: 'patch', custom: true },
      { type: 'tool_arguments', index: 0, text: 'a b' },
    ]
    for (const events of [whole, pieces]) assert.deepEqual(only(events, 'tool_call', 'tool_arguments'), expected)
  })
})

describe('citations', () => {
  const expected = [{ type: 'citation', ...source, start: 4, end: 8 }]

  test('OpenAI chat, in annotations', () => {
    const annotations = [{ type: 'url_citation', url_citation: { ...source, start_index: 4, end_index: 8 } }]
    const message = { content: 'One Two.', annotations }
    const whole = openaiChat.readBody({ choices: [{ message, finish_reason: 'stop' }] })
    const pieces = streamed(openaiChat.createReader(), [{ choices: [{ delta: message }] }])
    for (const events of [whole, pieces]) assert.deepEqual(only(events, 'citation'), expected)
  })

  test('OpenAI responses, counted from the start of the whole text', () => {
    const annotation = { type: 'url_citation', ...source, start_index: 0, end_index: 4 }
    const content = [
      { type: 'output_text', text: 'One ' },
      { type: 'output_text', text: 'Two.', annotations: [annotation] },
    ]
    const whole = openaiResponses.readBody({ status: 'completed', output: [{ type: 'message', content }] })
    const textDelta = (content_index: number, delta: string) => {
      return { type: 'response.output_text.delta', output_index: 0, content_index, delta }
    }
    const added = { type: 'response.output_text.annotation.added', output_index: 0, content_index: 1, annotation }
    const pieces = streamed(openaiResponses.createReader(), [textDelta(0, 'One '), textDelta(1, 'Two.'), added])
    for (const events of [whole, pieces]) assert.deepEqual(only(events, 'citation'), expected)
  })

  test('Anthropic, at the end of the citing block', () => {
    const citation = { type: 'web_search_result_location', ...source, cited_text: 'q', encrypted_index: 'e' }
    const content = [
      { type: 'text', text: 'One ' },
      { type: 'text', text: 'Two.', citations: [citation] },
    ]
    const whole = anthropicMessages.readBody({ content, stop_reason: 'end_turn' })
    const pieces = streamed(anthropicMessages.createReader(), [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'One ' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'citations_delta', citation } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Two.' } },
      { type: 'content_block_stop', index: 1 },
    ])
    for (const events of [whole, pieces]) assert.deepEqual(only(events, 'citation'), [{ ...expected[0], quote: 'q' }])
  })

  test('Gemini, by byte segments, each once', () => {
    const { url: uri, title } = source
    const candidate = {
      content: { parts: [{ text: 'Öné Two.' }] },
      groundingMetadata: {
        groundingChunks: [{ web: { uri, title } }, { web: { uri: 'https://b.example/' } }],
        groundingSupports: [{ segment: { startIndex: 6, endIndex: 10 }, groundingChunkIndices: [0] }],
      },
      finishReason: 'STOP',
    }
    const all = [...expected, { type: 'citation', url: 'https://b.example/' }]
    assert.deepEqual(only(googleGemini.readBody({ candidates: [candidate] }), 'citation'), all)
    const repeated = { ...candidate, content: { parts: [] } }
    const pieces = streamed(googleGemini.createReader(), [{ candidates: [candidate] }, { candidates: [repeated] }])
    assert.deepEqual(only(pieces, 'citation'), all)
  })
})

test('content in the first event of an Anthropic stream is read once', () => {
  const start = { type: 'message_start', message: { id: 'm', content: [{ type: 'text', text: 'Hello' }] } }
  const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' } }
  const stop = { type: 'message_stop' }
  for (const end of [[stop], [delta, delta, stop]])
    assert.equal(only(streamed(anthropicMessages.createReader(), [start, ...end]), 'text').length, 1)
})

test('counts that only the start of an Anthropic stream has are used', () => {
  const counts = { input_tokens: 12, cache_read_input_tokens: 3, output_tokens: 1 }
  const end = { input_tokens: null, cache_read_input_tokens: null, output_tokens: 5, server_tool_use: null }
  const events = streamed(anthropicMessages.createReader(), [
    { type: 'message_start', message: { id: 'm', model: 'c', usage: counts } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: end },
  ])
  const tokens = { prompt: 15, completion: 5, cached: 3, cacheWritten: 0, reasoning: 0 }
  assert.deepEqual(
    only(events, 'usage').map((event) => 'tokens' in event && event.tokens),
    [tokens],
  )
})

describe('an error whose message is not a string', () => {
  const error = { message: { detail: [{ loc: ['body', 'model'] }] }, code: 422, type: 'invalid_request_error' }
  const readers: [string, Reader, object][] = [
    ['Anthropic', anthropicMessages.createReader(), { type: 'error', error }],
    ['Gemini', googleGemini.createReader(), { error }],
    ['OpenAI chat', openaiChat.createReader(), { error }],
    ['OpenAI responses', openaiResponses.createReader(), { type: 'error', error }],
  ]
  for (const [name, read, event] of readers) {
    test(`of ${name} is a failure with a default message`, () => {
      const [error] = only(streamed(read, [event]), 'error')
      assert.ok(error && 'message' in error)
      assert.equal(error.message, 'the upstream failed')
    })
  }

  test('gives no message for a refused request', () => {
    assert.equal(openaiChat.readErrorMessage({ error }), undefined)
    assert.equal(openaiChat.readErrorMessage(null), undefined)
  })
})
