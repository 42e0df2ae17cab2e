import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noSettings } from './request.ts'
import { savedRequest, skippedText } from './saved-request.ts'

test('savedRequest has the preset, the parameters and the system prompt', () => {
  const settings = { ...noSettings, system: ' Be brief. ', temperature: '0.3', additionalFields: '{"models": ["a/2"]}' }
  assert.deepEqual(savedRequest('@preset/haiku@2', settings), {
    model: '@preset/haiku@2',
    models: ['a/2'],
    temperature: 0.3,
    messages: [{ role: 'system', content: 'Be brief.' }],
  })
})

test('skippedText lists fields and models that were not saved', () => {
  assert.equal(skippedText(['metadata'], ['a/1', 'b/1']), 'Not saved: metadata, the additional model b/1.')
  assert.equal(skippedText([], ['a/1']), undefined)
})
