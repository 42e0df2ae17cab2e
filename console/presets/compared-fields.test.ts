import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareFields } from './compared-fields.ts'

test('compareFields lists each field once with both values', () => {
  const before = { system_prompt: 'Be brief.', config: { model: 'a/one', temperature: 0.2 } }
  const after = { system_prompt: 'Be brief.', config: { model: 'a/two', stop: ['x'] } }
  assert.deepEqual(compareFields(before, after), [
    { field: 'system prompt', before: 'Be brief.', after: 'Be brief.' },
    { field: 'model', before: 'a/one', after: 'a/two' },
    { field: 'stop', before: undefined, after: '[\n "x"\n]' },
    { field: 'temperature', before: '0.2', after: undefined },
  ])
})
