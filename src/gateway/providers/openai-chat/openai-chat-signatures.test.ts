import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withSignatures } from './openai-chat-signatures.ts'

const detail = (id?: string) => ({ type: 'reasoning.encrypted', format: 'google-gemini-v1', data: `of ${id}`, id })
const signed = (text: string) => ({ extra_content: { google: { thought_signature: text } } })

test('a call without an id does not get the signature of its message', () => {
  const message = { role: 'assistant', tool_calls: [{ id: 'a' }, { type: 'function' }, null] }
  assert.deepEqual(withSignatures(message, [detail(), detail('a')] as never), {
    ...message,
    ...signed('of undefined'),
    tool_calls: [{ id: 'a', ...signed('of a') }, { type: 'function' }, null],
  })
})
