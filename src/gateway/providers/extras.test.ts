import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { anthropicMessages } from './anthropic/anthropic-messages.ts'
import { googleGemini } from './gemini/google-gemini.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'

const usageOf = (events: CompletionEvent[]) => events.find((event) => event.type === 'usage')
const piecesOf = (events: CompletionEvent[]) =>
  events.flatMap((event) => (event.type === 'billed_piece' ? [event.unit] : []))

describe('openai-chat', () => {
  const answered = (message: object, usage: object, more: object = {}) =>
    openaiChat.readBody({
      choices: [{ message: { content: 'Hi', ...message }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 100, completion_tokens: 50, ...usage },
      ...more,
    })

  test('audio and image tokens are separate, if there are any', () => {
    const events = answered(
      {},
      {
        prompt_tokens_details: { audio_tokens: 60 },
        completion_tokens_details: { audio_tokens: 20, image_tokens: 10 },
      },
    )
    assert.deepEqual(usageOf(events)?.tokens.parts, { audioPrompt: 60, audioCompletion: 20, imageCompletion: 10 })
    assert.equal(usageOf(answered({}, { prompt_tokens_details: { audio_tokens: 0 } }))?.tokens.parts, undefined)
  })

  test('the service tier and searches are read', () => {
    const tier = (service_tier: unknown) => usageOf(answered({}, {}, { service_tier }))?.extras?.serviceTier
    assert.deepEqual(['priority', 'default', 'auto', null, 7].map(tier), [
      'priority',
      'default',
      undefined,
      undefined,
      undefined,
    ])
    const { extras } = usageOf(answered({}, { server_tool_use: { web_search_requests: 3 } }))!
    assert.deepEqual(extras, { pieces: { web_search: 3 } })
    assert.equal(usageOf(answered({}, { server_tool_use: { web_search_requests: -1 } }))?.extras, undefined)
  })

  test('every image of a response is a piece', () => {
    assert.deepEqual(piecesOf(answered({ images: [{}, {}] }, {})), ['image', 'image'])
  })
})

describe('openai-responses', () => {
  const search = (type?: string) => ({ type: 'web_search_call', ...(type && { action: { type } }) })
  const run = (container_id: string) => ({ type: 'code_interpreter_call', container_id })
  const output = [search('search'), search('open_page'), search(), run('a'), run('a'), { type: 'function_call' }]
  const usage = { input_tokens: 10, output_tokens: 5 }

  test('searches and containers are counted, opened pages are not', () => {
    const events = openaiResponses.readBody({ output, usage, service_tier: 'priority', status: 'completed' })
    const pieces = { web_search: 2, code_interpreter: 1 }
    assert.deepEqual(usageOf(events)?.extras, { pieces, serviceTier: 'priority' })
  })

  test('in a stream a call is counted at its start', () => {
    const read = openaiResponses.createReader()
    const events = output.flatMap((item) =>
      read({ event: undefined, data: JSON.stringify({ type: 'response.output_item.added', item }) } as never),
    )
    assert.equal(piecesOf(events).length, 5)
  })
})

describe('anthropic-messages', () => {
  test('searches are counted, and hour-long cache writes are separate', () => {
    const usage = {
      input_tokens: 5,
      output_tokens: 5,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
    }
    const events = anthropicMessages.readBody({ content: [{ type: 'server_tool_use', name: 'web_search' }], usage })
    assert.deepEqual(usageOf(events)?.extras, { pieces: { web_search: 2, web_fetch: 0 } })
    assert.deepEqual(usageOf(events)?.tokens.parts, { cacheWritten1h: 20 })
    assert.deepEqual(piecesOf(events), ['web_search'])
  })
})

describe('google-gemini', () => {
  const answered = (candidate: object, modelVersion: string, usage: object = {}) =>
    googleGemini.readBody({
      modelVersion,
      candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP', ...candidate }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, ...usage },
    })
  const grounded = (...webSearchQueries: string[]) => ({ groundingMetadata: { webSearchQueries } })

  test('from version 3 each query is billed, before that the request', () => {
    const searches = (model: string) => piecesOf(answered(grounded('a', 'b', 'a'), model))
    assert.deepEqual(searches('gemini-3-flash'), ['google_search', 'google_search'])
    assert.deepEqual(searches('gemini-2.5-flash'), ['google_search'])
    assert.deepEqual(piecesOf(answered({ groundingMetadata: {} }, 'gemini-3-flash')), [])
    assert.deepEqual(piecesOf(answered({ groundingMetadata: { groundingChunks: [{ web: {} }] } }, 'gemini-3')), [
      'google_search',
    ])
  })

  test('repeated queries of a stream count once', () => {
    const read = googleGemini.createReader()
    const events = [grounded('a'), grounded('a', 'b'), grounded('b')].flatMap((candidate) =>
      read({ data: JSON.stringify({ modelVersion: 'gemini-3-pro', candidates: [candidate] }) } as never),
    )
    assert.deepEqual(piecesOf(events), ['google_search', 'google_search'])
  })

  test('audio and images are separate, and an image is also a piece', () => {
    const of = (modality: string, tokenCount: number) => ({ modality, tokenCount })
    const image = { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] } }
    const events = answered(image, 'gemini-2.5-flash-image', {
      promptTokensDetails: [of('TEXT', 2), of('AUDIO', 7)],
      candidatesTokensDetails: [of('IMAGE', 3)],
    })
    assert.deepEqual(usageOf(events)?.tokens.parts, { audioPrompt: 7, imageCompletion: 3 })
    assert.deepEqual(piecesOf(events), ['image'])
  })
})
