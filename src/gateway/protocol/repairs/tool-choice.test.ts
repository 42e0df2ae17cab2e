import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { simplifyToolChoice } from './tool-choice.ts'

const tools = ['a', 'b'].map((name) => ({ type: 'function', function: { name } }))
const fit = (tool_choice: object) => {
  const { tools: sent, tool_choice: choice } = simplifyToolChoice({ messages: [], tools, tool_choice } as ChatRequest)
  return [sent?.map((tool) => tool.function?.name), choice]
}

test('a tool choice that is an object with a word becomes the word', () => {
  assert.deepEqual(fit({ type: 'auto' }), [['a', 'b'], 'auto'])
  assert.deepEqual(fit({ type: 'none' }), [['a', 'b'], 'none'])
  assert.deepEqual(fit({ type: 'any' }), [['a', 'b'], 'required'])
})

test('only the allowed tools remain', () => {
  const allowed = { tools: [{ type: 'function', function: { name: 'b' } }] }
  assert.deepEqual(fit({ type: 'allowed_tools', allowed_tools: { ...allowed, mode: 'required' } }), [['b'], 'required'])
  assert.deepEqual(fit({ type: 'allowed_tools', allowed_tools: { ...allowed, mode: 'auto' } }), [['b'], 'auto'])
})

test('the choice of one function stays', () => {
  const choice = { type: 'function', function: { name: 'a' } }
  assert.deepEqual(fit(choice), [['a', 'b'], choice])
})
