import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InternChatRequest } from './chat-request.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const isTaken = (more: object) => InternChatRequest.safeParse({ messages, ...more }).success

test('an intern is asked for a stream, and for nothing else', () => {
  assert.deepEqual([isTaken({ stream: true }), isTaken({ stream: false }), isTaken({})], [true, false, false])
})

test('a session may have an id of one letter, but not of none', () => {
  assert.equal(isTaken({ stream: true, session_id: 's' }), true)
  assert.equal(isTaken({ stream: true, session_id: '' }), false)
})

test('a session id with a control character is refused, one with 256 emoji is not', () => {
  assert.equal(isTaken({ stream: true, session_id: '😀'.repeat(256) }), true)
  for (const id of ['a\n', '\u001b[2J', '\u0085']) assert.equal(isTaken({ stream: true, session_id: id }), false, id)
})

test('`stream_options` of another type are ignored, like every other field of chats', () => {
  for (const options of [3, 'x', [], null, { include_usage: 'x' }])
    assert.equal(isTaken({ stream: true, stream_options: options }), true, JSON.stringify(options))
})

test('a budget with a name that means nothing is refused, for its turn would have none', () => {
  const withBudget = (budget: object) => InternChatRequest.safeParse({ messages, stream: true, budget })
  assert.ok(withBudget({ max_cost_usd: 1, max_seconds: null }).success)
  for (const name of ['max_cost', 'session_max_cost_usd', 'maxCostUsd']) {
    const message = withBudget({ [name]: 1 }).error?.issues[0]?.message ?? ''
    assert.match(message, new RegExp(`^unknown field "${name}".*; it takes max_cost_usd, max_seconds$`))
  }
})
