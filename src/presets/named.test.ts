import assert from 'node:assert/strict'
import { test } from 'node:test'
import { presetNamed } from './named.ts'

test('a preset is named by preset, by model alone, or behind a model', () => {
  assert.deepEqual(presetNamed({ preset: 'x', top_k: 1 }), { slug: 'x', rest: { top_k: 1 } })
  assert.deepEqual(presetNamed({ preset: 'x', model: 'a/b' }), { slug: 'x', rest: { model: 'a/b' } })
  assert.deepEqual(presetNamed({ model: '@preset/x' }), { slug: 'x', rest: {} })
  assert.deepEqual(presetNamed({ model: 'a/b:free@preset/x' }), { slug: 'x', rest: { model: 'a/b:free' } })
})

test('a request may name a preset twice, but not two presets', () => {
  assert.deepEqual(presetNamed({ preset: 'x', model: 'a/b@preset/x' }), { slug: 'x', rest: { model: 'a/b' } })
  assert.throws(() => presetNamed({ preset: 'x', model: '@preset/y' }), {
    kind: 'invalid',
    message: /names another preset/,
  })
})

test('a request without a preset names none', () => {
  assert.equal(presetNamed({ model: 'a/b' }), undefined)
  assert.equal(presetNamed({}), undefined)
})
