import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAnthropicReader, readAnthropicMessage } from './anthropic-response.ts'

const explanation = 'This could enable harm.'
const stop = { stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'cyber', explanation } }
const expected = [
  { type: 'refusal', text: explanation, isFree: true },
  { type: 'finish', reason: 'content_filter', native: 'refusal' },
]

test('the explanation of a refusal is read, whole and streamed', () => {
  const whole = readAnthropicMessage({ content: [], ...stop })
  assert.deepEqual(whole.slice(1, 3), expected)
  const data = JSON.stringify({ type: 'message_delta', delta: stop })
  const event = { event: 'message_delta', data, raw: Buffer.from(data) }
  assert.deepEqual(createAnthropicReader()(event), expected)
})
