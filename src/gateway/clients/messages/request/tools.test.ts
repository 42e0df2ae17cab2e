import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessagesCall } from '#chat/messages-call.ts'
import { toChatTools } from './tools.ts'

test('each choice among tools is the same one in a chat', () => {
  const choice = (tool_choice: object) =>
    toChatTools({ tools: [{ name: 'f', input_schema: {} }], tool_choice } as MessagesCall).tool_choice
  assert.deepEqual(
    ['any', 'auto', 'none'].map((type) => choice({ type })),
    ['required', 'auto', 'none'],
  )
  assert.deepEqual(choice({ type: 'tool', name: 'f' }), { type: 'function', function: { name: 'f' } })
})
