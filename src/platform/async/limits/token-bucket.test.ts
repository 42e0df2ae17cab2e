import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TokenBucket } from './token-bucket.ts'

test('saved tokens are spent at once, then at the rate', () => {
  let now = 0
  const pace = new TokenBucket({ perSecond: 100, capacity: 10, now: () => now })
  for (let each = 0; each < 10; each++) assert.equal(pace.take(1), 0)
  assert.equal(pace.take(1), 10)
  now = 10
  assert.equal(pace.take(2), 20)
  now = 10_000
  for (let each = 0; each < 10; each++) assert.equal(pace.take(1), 0)
  assert.equal(pace.take(1), 10)
})

test('a bucket that was full and idle for long gives no more than its capacity at once', () => {
  let now = 0
  const pace = new TokenBucket({ perSecond: 100, capacity: 10, now: () => now })
  now = 10_000
  for (let each = 0; each < 10; each++) assert.equal(pace.take(1), 0)
  assert.equal(pace.take(1), 10)
})
