import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorTypeOf } from './error-type.ts'

test('a status that has no word of its own is the server’s fault from 500 on, else the request’s', () => {
  assert.deepEqual(
    [500, 501, 599].map((status) => errorTypeOf(status, undefined)),
    ['server', 'server', 'server'],
  )
  assert.deepEqual(
    [400, 418, 499].map((status) => errorTypeOf(status, 'x')),
    Array(3).fill('invalid_request'),
  )
  assert.deepEqual([errorTypeOf(503, null), errorTypeOf(404, 1)], ['provider_unavailable', 'not_found'])
})

test('a provider’s word is told where it says more than the status does, and else is not', () => {
  assert.equal(errorTypeOf(400, 'context_length_exceeded'), 'context_length_exceeded')
  assert.equal(errorTypeOf(400, 'toString'), 'invalid_request')
})
