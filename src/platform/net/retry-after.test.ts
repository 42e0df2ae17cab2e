import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRetryAfter } from './retry-after.ts'

test('a requested delay is a number of seconds or a date', () => {
  const now = Date.parse('2026-11-01T00:00:00Z')
  const delays = ['90', '0.5', 'Sun, 01 Nov 2026 00:01:00 GMT', 'Sat, 31 Oct 2026 00:00:00 GMT', 'soon', '', null].map(
    (header) => parseRetryAfter(header, now),
  )
  assert.deepEqual(delays, [90_000, 500, 60_000, 0, undefined, undefined, undefined])
})
