import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differencesBetween } from './version-differences.ts'

test('differencesBetween lists each field once with both values', () => {
  const before = { system_prompt: 'Be brief.', config: { model: 'a/one', temperature: 0.2 } }
  const after = { system_prompt: 'Be brief.', config: { model: 'a/two', stop: ['x'] } }
  assert.deepEqual(differencesBetween(before, after), [
    { field: 'system prompt', was: 'Be brief.', is: 'Be brief.' },
    { field: 'model', was: 'a/one', is: 'a/two' },
    { field: 'stop', was: undefined, is: '[\n "x"\n]' },
    { field: 'temperature', was: '0.2', is: undefined },
  ])
})
