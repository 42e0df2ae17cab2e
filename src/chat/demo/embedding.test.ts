import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDemoEmbedding } from './embedding.ts'

const nearness = (one: Float32Array, other: Float32Array) => one.reduce((sum, value, at) => sum + value * other[at]!, 0)

test('a text always has the same vector, of length 1', () => {
  for (const text of ['How do I reset my password?', 'Grüezi', '…', ''])
    for (const dimensions of [1, 8, 256]) {
      const vector = createDemoEmbedding(text, dimensions)
      assert.deepEqual(vector, createDemoEmbedding(text, dimensions))
      assert.ok(Math.abs(nearness(vector, vector) - 1) < 1e-5, text)
    }
})

test('texts with the same words are nearer than others', () => {
  const [question, response, other] = [
    'How do I reset my password?',
    'To reset a password, open the settings.',
    'We open at nine.',
  ].map((text) => createDemoEmbedding(text, 256))
  assert.ok(nearness(question!, response!) > nearness(question!, other!) + 0.1)
})
