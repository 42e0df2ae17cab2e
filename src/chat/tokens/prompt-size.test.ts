import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../chat-request.ts'
import { charactersOf, estimatePrompt, measureTools } from './prompt-size.ts'

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

test('tools that were measured in steps have the size of their JSON', () => {
  const tools = Array.from({ length: 2000 }, (_, at) => ({ type: 'function', function: { name: `ü${at}` } }))
  const messages = [{ role: 'user', content: 'Hi' }]
  const [measured, other] = [chat({ messages, tools }), chat({ messages, tools: [...tools] })]
  let steps = 0
  for (const measuring = measureTools(measured); !measuring.next().done; ) steps++
  assert.ok(steps > 5, `${steps}`)
  assert.equal(charactersOf(measured), charactersOf(other))
  assert.equal(estimatePrompt(measured), estimatePrompt(other))
})
