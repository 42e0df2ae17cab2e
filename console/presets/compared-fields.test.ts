import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareFields } from './compared-fields.ts'

test('compareFields lists each field once with both values', () => {
  const before = { system_prompt: 'Be brief.', config: { model: 'a/one', temperature: 0.2 } }
  const after = { system_prompt: 'Be brief.', config: { model: 'a/two', stop: ['x'] } }
  assert.deepEqual(compareFields(before, after), [
    { field: 'system prompt', from: 'Be brief.', to: 'Be brief.' },
    { field: 'model', from: 'a/one', to: 'a/two' },
    { field: 'stop', from: undefined, to: '[\n "x"\n]' },
    { field: 'temperature', from: '0.2', to: undefined },
  ])
})
