import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suggestModels } from './model-suggestions.ts'

const ids = ['openai/gpt-4o', 'openai/gpt-4o-mini', 'anthropic/claude-sonnet-5', 'signalbox/demo', 'x/gpt-4o']

test('a name without author or with other case or punctuation is matched', () => {
  assert.deepEqual(suggestModels(ids, 'gpt-4o'), ['openai/gpt-4o', 'x/gpt-4o', 'openai/gpt-4o-mini'])
  assert.deepEqual(suggestModels(ids, 'Signalbox/Demo'), ['signalbox/demo'])
  assert.deepEqual(suggestModels(ids, 'azure/claude-sonnet.5'), ['anthropic/claude-sonnet-5'])
  assert.deepEqual(suggestModels(ids, 'signalbox/dem'), ['signalbox/demo'])
})

test('an author before a colon is matched', () => {
  assert.deepEqual(suggestModels(ids, 'openai:gpt-4o-mini'), ['openai/gpt-4o-mini'])
  assert.deepEqual(suggestModels(['ollama/qwen3:8b', 'ollama/qwen3:4b'], 'qwen3:8b'), ['ollama/qwen3:8b'])
})

test('an unknown variant suggests its model', () => {
  assert.deepEqual(suggestModels(ids, 'openai/gpt-4o:online'), ['openai/gpt-4o', 'x/gpt-4o', 'openai/gpt-4o-mini'])
  assert.deepEqual(suggestModels(ids, 'openai/gpt-4o-mini:free'), ['openai/gpt-4o-mini'])
})

test('a dated name and one with the prefix of a library suggest the model', () => {
  for (const name of ['claude-sonnet-5-20260929', 'anthropic/claude-sonnet-5-2026-09-29', 'claude-sonnet-5-latest'])
    assert.deepEqual(suggestModels(ids, name), ['anthropic/claude-sonnet-5'])
  assert.deepEqual(suggestModels(ids, 'openrouter/openai/gpt-4o'), ['openai/gpt-4o'])
  assert.deepEqual(suggestModels(ids, 'openrouter/anthropic/claude-sonnet-5:nitro'), ['anthropic/claude-sonnet-5'])
  assert.deepEqual(suggestModels(ids, '-20260929'), [])
})

test('a name with one or two typos is matched', () => {
  assert.deepEqual(suggestModels(ids, 'signalbox/dmo'), ['signalbox/demo'])
  assert.deepEqual(suggestModels(ids, 'openai/gpt-5o'), ['openai/gpt-4o'])
  assert.deepEqual(suggestModels(ids, 'antropic/cluade-sonnet-5'), ['anthropic/claude-sonnet-5'])
  assert.deepEqual(suggestModels(ids, 'antropic:cluade-sonnet-5'), ['anthropic/claude-sonnet-5'])
  assert.deepEqual(suggestModels(ids, 'signalbox/d'), ['signalbox/demo'])
  assert.deepEqual(suggestModels(['x/ab', 'x/ac'], 'x/ad'), [])
})

test('at most three models are suggested, by distance, then by name', () => {
  const like = ['d/gpt-4o', 'b/gpt-4o', 'c/gpt-4o', 'a/gpt-4o']
  assert.deepEqual(suggestModels(like, 'gpt-4o'), ['a/gpt-4o', 'b/gpt-4o', 'c/gpt-4o'])
  assert.deepEqual(suggestModels(like.toReversed(), 'gpt-4o'), ['a/gpt-4o', 'b/gpt-4o', 'c/gpt-4o'])
  assert.deepEqual(suggestModels(['x/abc'], 'abc'), ['x/abc'])
  assert.deepEqual(suggestModels(['x/abc'], 'ab'), [])
})

test('very different and very short names have no suggestions', () => {
  assert.deepEqual(suggestModels(ids, 'mistral-large'), [])
  assert.deepEqual(suggestModels(ids, 'o'), [])
  assert.deepEqual(suggestModels(ids, 'nope/o'), [])
  assert.deepEqual(suggestModels(ids, ''), [])
})
