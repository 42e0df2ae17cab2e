import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clients } from './clients.ts'

for (const { operation, conversation, toChat } of clients) {
  test(`${operation.path}: its conversation is in the field that filters and plugins look into`, () => {
    assert.ok(conversation in operation.request.shape)
    const { messages } = toChat({ model: 'a/b', [conversation]: [{ role: 'user', content: 'Hi' }] })
    assert.match(JSON.stringify(messages), /"Hi"/)
  })
}
