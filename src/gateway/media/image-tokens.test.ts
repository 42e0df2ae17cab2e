import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageTokenBound } from './image-tokens.ts'

test('a picture of which nobody knows the size is the most that the model counts, where there is a most', () => {
  const most = (model: string) => imageTokenBound(model, undefined)
  assert.deepEqual([most('openai/gpt-4o'), most('openai/o3'), most('gpt-5.1')], [4096, 4096, 4096])
  assert.deepEqual([most('gpt-4o-mini'), most('gpt-5.4'), most('claude-opus-5')], [48_169, 25_200, 5000])
  assert.deepEqual([most('gemini-3-pro'), most('a/b')], [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])
})
