import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { charactersOf } from './prompt-size.ts'

const chat = (more: object) => ({ model: 'a/b', messages: [], ...more }) as unknown as ChatRequest

test('the characters of a request are those of its texts and tools', () => {
  const parts = [
    { type: 'text', text: 'abc' },
    { type: 'image_url', image_url: { url: 'x' } },
  ]
  const messages = [
    { role: 'system', content: 'Hi' },
    { role: 'user', content: parts },
    { role: 'assistant', content: null },
  ]
  assert.equal(charactersOf(chat({ messages })), 5)
  const tools = [{ type: 'function', function: { name: 'f' } }]
  assert.equal(charactersOf(chat({ messages, tools })), 5 + JSON.stringify(tools).length)
  assert.equal(charactersOf(chat({})), 0)
})
