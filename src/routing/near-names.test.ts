import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearNames } from './near-names.ts'

const ids = ['openai/gpt-4o', 'openai/gpt-4o-mini', 'anthropic/claude-sonnet-5', 'signalbox/demo', 'x/gpt-4o']

test('a name without its author, in other letters, or with other signs is near the model it means', () => {
  assert.deepEqual(nearNames(ids, 'gpt-4o'), ['openai/gpt-4o', 'x/gpt-4o', 'openai/gpt-4o-mini'])
  assert.deepEqual(nearNames(ids, 'Signalbox/Demo'), ['signalbox/demo'])
  assert.deepEqual(nearNames(ids, 'azure/claude-sonnet.5'), ['anthropic/claude-sonnet-5'])
  assert.deepEqual(nearNames(ids, 'signalbox/dem'), ['signalbox/demo'])
})

test('what is like nothing, or like everything, is near nothing', () => {
  assert.deepEqual(nearNames(ids, 'mistral-large'), [])
  assert.deepEqual(nearNames(ids, 'o'), [])
  assert.deepEqual(nearNames(ids, ''), [])
})
