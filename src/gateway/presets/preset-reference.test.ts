import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPresetReference } from './preset-reference.ts'

test('a preset is named by preset, as a model, or after a model', () => {
  assert.deepEqual(readPresetReference({ preset: 'x', top_k: 1 }), { slug: 'x', bodyWithoutPreset: { top_k: 1 } })
  assert.deepEqual(readPresetReference({ preset: 'x', model: 'a/b' }), {
    slug: 'x',
    bodyWithoutPreset: { model: 'a/b' },
  })
  assert.deepEqual(readPresetReference({ model: '@preset/x' }), { slug: 'x', bodyWithoutPreset: {} })
  assert.deepEqual(readPresetReference({ model: 'a/b:free@preset/x' }), {
    slug: 'x',
    bodyWithoutPreset: { model: 'a/b:free' },
  })
})

test('a request can name a preset twice, but not two presets', () => {
  assert.deepEqual(readPresetReference({ preset: 'x', model: 'a/b@preset/x' }), {
    slug: 'x',
    bodyWithoutPreset: { model: 'a/b' },
  })
  assert.throws(() => readPresetReference({ preset: 'x', model: '@preset/y' }), {
    kind: 'invalid',
    message: /names a different preset/,
  })
})

test('a request without a preset names none', () => {
  assert.equal(readPresetReference({ model: 'a/b' }), undefined)
  assert.equal(readPresetReference({}), undefined)
})
