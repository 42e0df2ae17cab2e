import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { chooseEffort, computeReasoningBudget, readReasoningOptions } from '../protocol/reasoning-options.ts'
import { anthropicMessages } from './anthropic/anthropic-messages.ts'
import { readErrorBodyMetadata } from './errors/error-metadata.ts'
import { googleGemini } from './gemini/google-gemini.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'

const finishOf = (events: CompletionEvent[]) => events.find((event) => event.type === 'finish')?.reason
const statusOf = ([event]: CompletionEvent[]) => (event?.type === 'error' ? event.status : undefined)

test('every error type of Anthropic has a status', () => {
  const statuses = {
    invalid_request_error: 400,
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    request_too_large: 413,
    rate_limit_error: 429,
    api_error: 500,
    timeout_error: 504,
    overloaded_error: 529,
    something_else: undefined,
  }
  for (const [type, status] of Object.entries(statuses)) {
    const error = { type, message: 'M' }
    assert.deepEqual(anthropicMessages.readBody({ error }), [{ type: 'error', message: 'M', status, code: type }])
  }
  assert.deepEqual(anthropicMessages.readBody({ error: {} }), [
    { type: 'error', message: 'the upstream failed', status: undefined },
  ])
})

test('every error code of OpenAI has a status', () => {
  const statuses = {
    server_error: 500,
    rate_limit_exceeded: 429,
    insufficient_quota: 402,
    invalid_prompt: 400,
    invalid_request_error: 400,
    context_length_exceeded: 400,
    vector_store_timeout: 504,
    invalid_image_url: 400,
    file_too_large: 400,
    something_else: undefined,
  }
  for (const [code, status] of Object.entries(statuses)) {
    assert.equal(statusOf(openaiResponses.readBody({ error: { code } })), status, code)
    assert.equal(statusOf(openaiResponses.readBody({ error: { type: code } })), status, code)
  }
})

test('finish reasons of each provider are translated', () => {
  const calling = { type: 'tool_use', id: 'a', name: 'f', input: {} }
  const anthropic = (stop_reason: string | null) =>
    finishOf(anthropicMessages.readBody({ content: stop_reason === 'tool_use' ? [calling] : [], stop_reason }))
  assert.deepEqual(
    ['max_tokens', 'model_context_window_exceeded', 'tool_use', 'refusal', 'end_turn', 'pause_turn', null].map(
      anthropic,
    ),
    ['length', 'length', 'tool_calls', 'content_filter', 'stop', 'length', 'stop'],
  )
  assert.equal(anthropic('something_new'), 'length')
  const chat = (finish_reason: string) => finishOf(openaiChat.readBody({ choices: [{ message: {}, finish_reason }] }))
  assert.deepEqual(['stop', 'model_length', 'sensitive', 'STOP', 'something_new'].map(chat), [
    'stop',
    'length',
    'content_filter',
    'stop',
    'length',
  ])
  assert.deepEqual(
    [
      'EndTurn',
      'FINISH_REASON_STOP',
      'normal',
      'content_filter: RECITATION',
      'blacklist',
      'FinishReason.MAX_TOKENS',
    ].map(chat),
    ['stop', 'stop', 'stop', 'content_filter', 'content_filter', 'length'],
  )
  const malformed = { message: {}, finish_reason: 'function_call_filter: MALFORMED_FUNCTION_CALL' }
  assert.ok(openaiChat.readBody({ choices: [malformed] }).some(({ type }) => type === 'error'))
  const gemini = (finishReason: string) => finishOf(googleGemini.readBody({ candidates: [{ finishReason }] }))
  assert.deepEqual(['STOP', 'MAX_TOKENS', 'OTHER', 'SAFETY'].map(gemini), [
    'stop',
    'length',
    'content_filter',
    'content_filter',
  ])
  const openai = (reason?: string, status = 'incomplete') =>
    finishOf(openaiResponses.readBody({ output: [], status, ...(reason && { incomplete_details: { reason } }) }))
  assert.deepEqual(
    [openai('max_output_tokens'), openai('content_filter'), openai(), openai(undefined, 'completed')],
    ['length', 'content_filter', 'length', 'stop'],
  )
})

test('failed responses of Gemini are errors', () => {
  const read = (finishReason: string, finishMessage?: string) =>
    googleGemini.readBody({ modelVersion: 'g', candidates: [{ finishReason, finishMessage }] }).at(-1)
  for (const reason of [
    ...['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MISSING_THOUGHT_SIGNATURE'],
    'MALFORMED_RESPONSE',
  ])
    assert.deepEqual(read(reason), {
      type: 'error',
      message: `the model's response was unusable: ${reason}`,
      status: 502,
    })
  assert.deepEqual(read('MALFORMED_RESPONSE', 'M'), { type: 'error', message: 'M', status: 502 })
  const blocked = googleGemini.readBody({ promptFeedback: { blockReason: 'OTHER' } })
  assert.equal(finishOf(blocked), 'content_filter')
  assert.throws(() => googleGemini.readBody({}), /no candidates/)
  assert.deepEqual(googleGemini.readBody({ error: { code: 503, message: 'M', status: 'UNAVAILABLE' } }), [
    { type: 'error', message: 'M', status: 503, code: 'UNAVAILABLE' },
  ])
})

test('Gemini parts are read as text, reasoning, calls and signatures', () => {
  const read = (...parts: object[]) =>
    googleGemini.readBody({ responseId: 'r', candidates: [{ content: { parts }, finishReason: 'STOP' }] }).slice(1, -1)
  const format = 'google-gemini-v1'
  assert.deepEqual(read({ text: 'Hi' }, { text: '' }), [{ type: 'text', text: 'Hi' }])
  assert.deepEqual(read({ text: 'Hm', thought: true }), [{ type: 'reasoning', text: 'Hm', format }])
  assert.deepEqual(read({ text: '', thought: true }), [])
  assert.deepEqual(read({ text: 'Hi', thoughtSignature: 's' }), [
    { type: 'text', text: 'Hi' },
    { type: 'reasoning', text: '', format, encrypted: 's' },
  ])
  const [thought, call, event] = read({ functionCall: { id: 'c', name: 'f', args: { a: 1 } }, thoughtSignature: 's' })
  assert.deepEqual(thought, { type: 'reasoning', text: '', format, encrypted: 's', id: 'c' })
  assert.deepEqual(call, { type: 'tool_call', index: 0, id: 'c', name: 'f' })
  assert.deepEqual(event, { type: 'tool_arguments', index: 0, text: '{"a":1}' })
  assert.equal(read({ functionCall: { name: 'f' } }).length, 2)
})

test('the reasoning budget is as requested, or a share of the response', () => {
  const budget = (effort: string | undefined, budgetTokens?: number) =>
    computeReasoningBudget({ enabled: true, effort, budgetTokens }, 10_000)
  assert.deepEqual(
    ['minimal', 'low', 'medium', 'high', 'xhigh', 'max', undefined, 'odd'].map((effort) => budget(effort)),
    [1024, 2000, 5000, 8000, 9500, 9500, 5000, 5000],
  )
  assert.equal(budget('low', 77), 77)
  const effort = (budgetTokens: number | undefined) => chooseEffort({ enabled: true, effort: undefined, budgetTokens })
  assert.deepEqual([undefined, 2048, 2049, 8192, 8193].map(effort), ['medium', 'low', 'medium', 'medium', 'high'])
  assert.equal(chooseEffort({ enabled: true, effort: 'xhigh', budgetTokens: 1 }), 'xhigh')
  assert.deepEqual(readReasoningOptions({ reasoning: { effort: 'none' } } as never), { enabled: false })
  assert.equal(readReasoningOptions({ reasoning: {} } as never), undefined)
})

test('a chat response that ends with an error is an error; Gemini has a retry delay', () => {
  for (const finish_reason of ['error', 'network_error', 'insufficient_system_resource', 'abort'])
    assert.equal(openaiChat.readBody({ choices: [{ message: { content: 'H' }, finish_reason }] }).at(-1)?.type, 'error')
  assert.equal(openaiResponses.readBody({ output: [], status: 'cancelled' }).at(-1)?.type, 'error')
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '45.837906927s' }]
  assert.equal(readErrorBodyMetadata({ error: { code: 429, details } }).retryAfterMs, 45_838)
  assert.equal(readErrorBodyMetadata([{ error: { details: [null, { retryDelay: 5 }] } }]).retryAfterMs, undefined)
})

test('the code of a refusal is read beside its message, too', () => {
  for (const [body, code] of [
    [{ code: 'Arrearage', message: 'x', request_id: 'r' }, 'Arrearage'],
    [
      { object: 'error', message: 'x', type: 'invalid_request_message_order', code: null },
      'invalid_request_message_order',
    ],
    [{ __type: 'com.amazon.coral.service#ThrottlingException', Message: 'Rate exceeded' }, 'ThrottlingException'],
    [{ code: 'not_allowed', error: 'a text' }, 'not_allowed'],
    [[{ code: 'listed', message: 'x' }], 'listed'],
    [{ type: 'error', message: 'x' }, undefined],
  ] as const)
    assert.equal(readErrorBodyMetadata(body).code, code)
})
