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
