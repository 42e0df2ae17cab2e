import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { messagesClientProtocol } from '../../clients/messages/messages-client-protocol.ts'
import { createHealingClient } from './healing.ts'

const head = { id: 'gen-1', model: 'a/b', createdSeconds: 1 }
const client = createHealingClient(messagesClientProtocol, { messages: [], response_format: { type: 'json_object' } })

test('the text of a whole response is repaired, and other events stay', () => {
  const events: CompletionEvent[] = [
    { type: 'reasoning', text: 'Hm', format: 'anthropic-claude-v1', signature: 's' },
    { type: 'text', text: '{"a": ' },
    { type: 'text', text: '1,}' },
    { type: 'finish', reason: 'length', native: 'length' },
  ]
  const { content, stop_reason } = client.writeBody(head, events, undefined) as any
  assert.deepEqual([content[0].thinking, content.length, stop_reason], ['Hm', 2, 'max_tokens'])
  assert.deepEqual(JSON.parse(content[1].text), { a: 1 })
})
