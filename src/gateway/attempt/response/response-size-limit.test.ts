import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { openaiChat } from '../../providers/openai-chat/openai-chat.ts'
import type { AttemptRequest } from '../attempt-request.ts'
import { Delivery } from './delivery.ts'
import { ResponseSizeLimit } from './response-size-limit.ts'
import { StreamResponse } from './stream/stream-response.ts'

const megabyte = 'x'.repeat(1024 * 1024)
const raw = Buffer.from('data: 1\n\n')

/** How often an event may come before it is too much; never more than `most` times. */
function timesOf(event: CompletionEvent | undefined, most = 100_000, bytes = raw): number {
  const bound = new ResponseSizeLimit()
  try {
    for (let times = 0; times < most; times++) bound.addEvent(bytes, event ? [event] : [])
  } catch (error) {
    assert.match((error as Error).message, /^it is over 67108864 bytes$/)
    return 0
  }
  return most
}

test('all content is limited: text, encrypted reasoning, names, ids and sources', () => {
  const long: CompletionEvent[] = [
    { type: 'text', text: megabyte },
    { type: 'reasoning', text: '', encrypted: megabyte },
    { type: 'reasoning', text: '', signature: megabyte },
    { type: 'reasoning', text: 'a', id: megabyte },
    { type: 'tool_call', index: 0, id: megabyte, name: 'f' },
    { type: 'tool_call', index: 0, id: 'c', name: megabyte },
    { type: 'tool_arguments', index: 0, text: megabyte },
    { type: 'citation', url: 'http://a', title: megabyte },
    { type: 'citation', file: { id: megabyte, name: 'f', index: 0 } },
    { type: 'image', url: megabyte },
  ]
  for (const event of long) assert.equal(timesOf(event, 70), 0, JSON.stringify(event).slice(0, 60))
  assert.equal(timesOf({ type: 'tool_call', index: 0, id: 'c', name: 'f' }), 0)
})

test('a value of the wrong type does not stop the count', () => {
  const bound = new ResponseSizeLimit()
  bound.addEvent(raw, [{ type: 'refusal', text: 5 as never }])
  bound.addEvent(raw, [{ type: 'text', text: undefined as never }])
  assert.throws(() => bound.addBytes(70 * 1024 * 1024), /over/)
  assert.equal(timesOf({ type: 'reasoning', text: [megabyte] as never }, 70), 0)
})

test('empty pieces are counted, and a realistic number is accepted', () => {
  assert.equal(timesOf({ type: 'text', text: '' }, 3_000_000), 0)
  assert.equal(timesOf({ type: 'text', text: 'word' }, 1_000_000), 1_000_000)
  assert.equal(
    timesOf({ type: 'usage', tokens: { prompt: 1, completion: 1, cached: 0, cacheWritten: 0, reasoning: 0 } }),
    100_000,
  )
})

test('an event without content counts with its bytes', () => {
  assert.equal(timesOf(undefined, 70, Buffer.from(megabyte)), 0)
  assert.equal(timesOf(undefined, 100_000), 100_000)
})

test('text that a filter of a stream holds counts with the received bytes', () => {
  const target = { endpoint: { compatibility: { textToolCalls: 'hermes' } } }
  const toolNames = new Set(['read'])
  const request = {
    providerProtocol: openaiChat,
    target,
    toolNames,
    choiceCount: 1,
    stream: true,
    contentHoldMs: 60_000,
  }
  const receiver = { onEvents() {}, onStart() {}, flush() {}, onEnd() {} }
  const stream = new StreamResponse(request as unknown as AttemptRequest, new Delivery(receiver), 'server_sent_events')
  const toChunk = (content: string) =>
    Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`)
  stream.push(toChunk('<tool_call>'))
  const long = toChunk(megabyte.slice(0, 500_000))
  assert.throws(() => {
    for (let times = 0; times < 200; times++) stream.push(long)
  }, /over 67108864 bytes/)
})
