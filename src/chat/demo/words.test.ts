import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitWords } from './words.ts'

test('words keep the space before them, the last the space behind it', () =>
  assert.deepEqual(splitWords(' a  b\n'), [' a', '  b\n']))

test('a long text of spaces has no words, in bounded time', () => {
  const startedAt = performance.now()
  assert.deepEqual(splitWords(' '.repeat(200_000)), [])
  assert.ok(performance.now() - startedAt < 20_000)
})
