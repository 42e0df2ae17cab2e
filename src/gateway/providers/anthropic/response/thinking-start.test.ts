import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anthropicMessages } from '../anthropic-messages.ts'

test('the text at the start of a thinking block has no signature until one comes', () => {
  const read = anthropicMessages.createReader()
  const events = [
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: 'Th', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'ink' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
  ].flatMap((event) => read({ data: JSON.stringify(event) } as never))
  const signatures = events.map((event) => (event as { signature?: string }).signature)
  assert.deepEqual(signatures, [undefined, undefined, 's'])
})
