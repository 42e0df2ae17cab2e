import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anthropicMessages } from '../anthropic-messages.ts'

test('the stop reason ends a call without arguments that the server does not close', () => {
  const read = anthropicMessages.createReader()
  const typesOf = (event: object) =>
    read({ event: undefined, data: JSON.stringify(event), raw: Buffer.alloc(0) }).map(({ type }) => type)
  const call = { type: 'tool_use', id: 'call_1', name: 'read', input: {} }
  assert.deepEqual(typesOf({ type: 'content_block_start', index: 0, content_block: call }), ['tool_call'])
  const end = { type: 'message_delta', delta: { stop_reason: 'tool_use' } }
  assert.deepEqual(typesOf(end), ['tool_arguments', 'finish'])
})
