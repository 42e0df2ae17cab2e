import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoffDelay } from './backoff.ts'

test('the delay doubles with each failure up to its maximum', () => {
  const backoff = { firstMs: 100, maxMs: 500 }
  assert.deepEqual(
    [1, 2, 3, 4, 100].map((failures) => backoffDelay(backoff, failures)),
    [100, 200, 400, 500, 500],
  )
})
