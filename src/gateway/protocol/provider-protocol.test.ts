import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passesThrough } from './provider-protocol.ts'

test('a body passes through to a provider of the same protocol that supports it', () => {
  const passThrough = (() => ({})) as never
  assert.equal(passesThrough({ protocol: 'openai-chat', passThrough }, 'openai-chat'), true)
  assert.equal(passesThrough({ protocol: 'openai-chat', passThrough }, 'openai-responses'), false)
  assert.equal(passesThrough({ protocol: 'openai-chat', passThrough: undefined as never }, 'openai-chat'), false)
})
