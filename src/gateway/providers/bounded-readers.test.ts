import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Searches } from './gemini/gemini-searches.ts'
import { chatReader, readCompletion } from './openai-chat/openai-chat-answer.ts'
import { responsesReader } from './openai-responses/openai-responses-stream.ts'
import { usageEvents } from './token-counts.ts'

const event = (value: unknown) => ({ event: undefined, data: JSON.stringify(value), raw: Buffer.alloc(0) })

test('an error that is a word has that word as its message', () => {
  const expected = [{ type: 'error', message: 'model crashed', status: undefined }]
  assert.deepEqual(chatReader()(event({ error: 'model crashed' })), expected)
  assert.deepEqual(readCompletion({ error: 'model crashed' }), expected)
})

test('the number of tracked parts of a response is limited', () => {
  const read = responsesReader()
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
  assert.equal(new Searches().read({ webSearchQueries }, 'gemini-3-pro').length, 1000)
})
