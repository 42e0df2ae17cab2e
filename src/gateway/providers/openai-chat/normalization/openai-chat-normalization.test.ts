import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatNormalization } from './openai-chat-normalization.ts'

const isStandard = (...choices: object[]) =>
  chatNormalization.normalizer!.isStandard({ data: JSON.stringify({ id: 'c', choices }), event: undefined } as never)
const calling = (call: object) => isStandard({ index: 0, delta: { tool_calls: [call] }, finish_reason: null })

test('pieces of further calls need no normalization', () => {
  assert.ok(calling({ index: 1, id: 'a', type: 'function', function: { name: 'read', arguments: '' } }))
  assert.ok(calling({ index: 12, function: { arguments: '{"path":' } }))
})

test('a further choice, and a number that is a text, need it', () => {
  assert.ok(!isStandard({ index: 1, delta: { content: 'x' } }))
  assert.ok(!isStandard({ index: 10, delta: { content: 'x' } }))
  assert.ok(!isStandard({ index: '0', delta: { content: 'x' } }))
  assert.ok(!calling({ index: '1', function: { arguments: '' } }))
})
