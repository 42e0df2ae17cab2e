import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearNames } from './model-suggestions.ts'

const ids = ['openai/gpt-4o', 'openai/gpt-4o-mini', 'anthropic/claude-sonnet-5', 'signalbox/demo', 'x/gpt-4o']

test('a name without its author, in other letters, or with other signs is near the model it means', () => {
  assert.deepEqual(nearNames(ids, 'gpt-4o'), ['openai/gpt-4o', 'x/gpt-4o', 'openai/gpt-4o-mini'])
  assert.deepEqual(nearNames(ids, 'Signalbox/Demo'), ['signalbox/demo'])
  assert.deepEqual(nearNames(ids, 'azure/claude-sonnet.5'), ['anthropic/claude-sonnet-5'])
  assert.deepEqual(nearNames(ids, 'signalbox/dem'), ['signalbox/demo'])
})

test('an author with a colon after it is taken for the author', () => {
  assert.deepEqual(nearNames(ids, 'openai:gpt-4o-mini'), ['openai/gpt-4o-mini'])
  assert.deepEqual(nearNames(['ollama/qwen3:8b', 'ollama/qwen3:4b'], 'qwen3:8b'), ['ollama/qwen3:8b'])
})

test('a variant that there is not is near the model that it would be one of', () => {
  assert.deepEqual(nearNames(ids, 'openai/gpt-4o:online'), ['openai/gpt-4o', 'x/gpt-4o', 'openai/gpt-4o-mini'])
  assert.deepEqual(nearNames(ids, 'openai/gpt-4o-mini:free'), ['openai/gpt-4o-mini'])
})

test('a name with a slip or two is near the model that it was to be', () => {
  assert.deepEqual(nearNames(ids, 'signalbox/dmo'), ['signalbox/demo'])
  assert.deepEqual(nearNames(ids, 'openai/gpt-5o'), ['openai/gpt-4o'])
  assert.deepEqual(nearNames(ids, 'antropic/cluade-sonnet-5'), ['anthropic/claude-sonnet-5'])
  assert.deepEqual(nearNames(ids, 'antropic:cluade-sonnet-5'), ['anthropic/claude-sonnet-5'])
  assert.deepEqual(nearNames(ids, 'signalbox/d'), ['signalbox/demo'])
  assert.deepEqual(nearNames(['x/ab', 'x/ac'], 'x/ad'), [])
})

test('at most three are told, the likeliest first, and those that are as likely in the order of their names', () => {
  const like = ['d/gpt-4o', 'b/gpt-4o', 'c/gpt-4o', 'a/gpt-4o']
  assert.deepEqual(nearNames(like, 'gpt-4o'), ['a/gpt-4o', 'b/gpt-4o', 'c/gpt-4o'])
  assert.deepEqual(nearNames(like.toReversed(), 'gpt-4o'), ['a/gpt-4o', 'b/gpt-4o', 'c/gpt-4o'])
  assert.deepEqual(nearNames(['x/abc'], 'abc'), ['x/abc'])
  assert.deepEqual(nearNames(['x/abc'], 'ab'), [])
})

test('what is like nothing, or like everything, is near nothing', () => {
  assert.deepEqual(nearNames(ids, 'mistral-large'), [])
  assert.deepEqual(nearNames(ids, 'o'), [])
  assert.deepEqual(nearNames(ids, 'nope/o'), [])
  assert.deepEqual(nearNames(ids, ''), [])
})
