import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxToolCalls } from '../protocol/tool-calls/assembler.ts'
import { SearchCounter } from './gemini/gemini-searches.ts'
import { createChatReader, readCompletion } from './openai-chat/openai-chat-response.ts'
import { createResponsesReader } from './openai-responses/openai-responses-stream.ts'
import { protocols } from './protocols.ts'
import { usageEvents } from './token-counts.ts'

const event = (value: unknown) => ({ event: undefined, data: JSON.stringify(value), raw: Buffer.alloc(0) })

test('an error that is a word has that word as its message', () => {
  const expected = [{ type: 'error', message: 'model crashed', status: undefined }]
  assert.deepEqual(createChatReader()(event({ error: 'model crashed' })), expected)
  assert.deepEqual(readCompletion({ error: 'model crashed' }), expected)
})

test('the number of tracked parts of a response is limited', () => {
  const read = createResponsesReader()
  const delta = (output_index: number) => event({ type: 'response.output_text.delta', output_index, delta: '' })
  for (let part = 0; part < 10_000; part++) read(delta(part))
  assert.deepEqual(read(delta(0)), [])
  assert.throws(() => read(delta(10_000)), /more than 10000 parts/)
})

test('at most a hundred kinds of pieces are read', () => {
  const pieces = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`tool ${at}`, 1]))
  const [usage] = usageEvents({ prompt: 1, completion: 1 }, { pieces })
  assert.equal(usage?.type === 'usage' && Object.keys(usage.extras?.pieces ?? {}).length, 100)
})

test('at most a thousand search queries count', () => {
  const webSearchQueries = Array.from({ length: 5000 }, (_, at) => `query ${at}`)
  assert.equal(new SearchCounter().read({ webSearchQueries }, 'gemini-3-pro').length, 1000)
})

test('the number of tool calls of a whole response is limited in every protocol', () => {
  const repeat = (count: number, value: object) => Array.from({ length: count }, () => value)
  const call = { type: 'function', function: { name: 'f', arguments: '{}' } }
  const block = { type: 'tool_use', id: 't', name: 'f', input: {} }
  const item = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
  const part = { functionCall: { name: 'f', args: {} } }
  const responses = {
    'openai-chat': (count: number) => ({
      choices: [{ message: { role: 'assistant', tool_calls: repeat(count, call) }, finish_reason: 'tool_calls' }],
    }),
    'openai-responses': (count: number) => ({ object: 'response', status: 'completed', output: repeat(count, item) }),
    'anthropic-messages': (count: number) => ({
      type: 'message',
      role: 'assistant',
      content: repeat(count, block),
      stop_reason: 'tool_use',
    }),
    'google-gemini': (count: number) => ({
      candidates: [{ content: { parts: repeat(count, part) }, finishReason: 'STOP' }],
    }),
  } as const
  for (const [name, response] of Object.entries(responses)) {
    const read = (count: number) =>
      protocols[name as keyof typeof responses].readBody(response(count), { responseId: 'a' })
    assert.equal(read(maxToolCalls).filter(({ type }) => type === 'tool_call').length, maxToolCalls, name)
    assert.throws(() => read(maxToolCalls + 1), /more than 5000 tool calls/, name)
  }
})
