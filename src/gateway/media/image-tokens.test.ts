import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageTokenBound } from './image-tokens.ts'

test('an image of unknown size counts as the maximum of its model', () => {
  const most = (model: string) => imageTokenBound(model, undefined)
  assert.deepEqual([most('openai/gpt-4o'), most('openai/o3'), most('gpt-5.1')], [4096, 4096, 4096])
  assert.deepEqual([most('gpt-4o-mini'), most('gpt-5.4'), most('claude-opus-5')], [48_169, 25_200, 5000])
  assert.deepEqual([most('gemini-3-pro'), most('a/b')], [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])
})
