import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorTypeFor } from './error-type.ts'

test('an unlisted status is a server error from 500, else an invalid request', () => {
  assert.deepEqual(
    [500, 501, 599].map((status) => errorTypeFor(status, undefined)),
    ['server', 'server', 'server'],
  )
  assert.deepEqual(
    [400, 418, 499].map((status) => errorTypeFor(status, 'x')),
    Array(3).fill('invalid_request'),
  )
  assert.deepEqual([errorTypeFor(503, null), errorTypeFor(404, 1)], ['provider_unavailable', 'not_found'])
})

test('a provider code is used only if it is more specific than the status', () => {
  assert.equal(errorTypeFor(400, 'context_length_exceeded'), 'context_length_exceeded')
  assert.equal(errorTypeFor(400, 'toString'), 'invalid_request')
})
