import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openaiChat } from '../../providers/openai-chat/openai-chat.ts'
import { findDeclaredName } from './declared-name.ts'

const declared = new Set(['read', 'fs.write'])

test('a name with additions is the declared tool that it means', () => {
  for (const name of ['functions.read', 'default_api.read', ' read', 'read<|channel|>commentary', 'functions.read:0'])
    assert.equal(findDeclaredName(name, declared), 'read')
  assert.equal(findDeclaredName('tools.fs.write', declared), 'fs.write')
})

test('a declared or unknown name, and any name without declared tools, stays', () => {
  for (const name of ['read', 'fs.write', 'functions.search', 'reader'])
    assert.equal(findDeclaredName(name, declared), name)
  assert.equal(findDeclaredName('functions.read', undefined), 'functions.read')
})

test('a very long name stays', () => {
  const startedAt = performance.now()
  for (const name of [`x${'"'.repeat(200_000)}x`, `${'a'.repeat(200_000)}b`, `functions.read${' '.repeat(200_000)}`])
    assert.equal(findDeclaredName(name, declared), name)
  // Quadratic work takes over a minute.
  assert.ok(performance.now() - startedAt < 10_000)
})

test('calls of whole and streamed responses have the declared name', () => {
  const call = { index: 0, id: 'a', function: { name: 'functions.read', arguments: '{}' } }
  const body = { choices: [{ message: { tool_calls: [call] }, finish_reason: 'tool_calls' }] }
  const chunk = { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] }
  const context = { responseId: 'c', toolNames: declared }
  const streamed = openaiChat.createReader(context)({
    event: undefined,
    data: JSON.stringify(chunk),
    raw: Buffer.alloc(0),
  })
  for (const events of [openaiChat.readBody(body, context), streamed])
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'tool_call' ? [event.name] : [])),
      ['read'],
    )
})
