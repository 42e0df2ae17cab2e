import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBase64 } from './data-url.ts'

test('base64 has either alphabet, spaces, and at most two padding characters', () => {
  for (const data of ['', 'YQ==', 'YQ', 'Y Q\n= =\n', '-_+/', 'YWJj\n', ' YQ== \n'])
    assert.equal(isBase64(data), data !== 'Y Q\n= =\n', data)
  for (const data of ['YQ===', 'Y=Q', 'YQ== x', 'a b.']) assert.equal(isBase64(data), false, data)
})

test('a long run of spaces is distinguished from base64 in little time', () => {
  const startedAt = performance.now()
  assert.equal(isBase64(`${' '.repeat(200_000)}!`), false)
  // It used to take minutes.
  assert.ok(performance.now() - startedAt < 20_000)
})
