import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure, readFailure } from '../failure.ts'
import { isRetryable, nextFailedRead, retryDelayMs } from './retry.ts'

test('retryDelayMs doubles from 1 s to at most 30 s', () => {
  const delays = [1, 2, 3, 4, 5, 6, 40].map((count) => retryDelayMs(count, 0))
  assert.deepEqual(delays, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
})

test('retryDelayMs subtracts up to a fifth of jitter', () => {
  assert.equal(retryDelayMs(2, 0.5), 1_800)
  assert.equal(retryDelayMs(2, 1), 1_600)
})

test('retryDelayMs respects Retry-After as seconds and as a date', async () => {
  const failed = (header: string) =>
    readFailure(new Response('{}', { status: 429, headers: { 'retry-after': header } }))
  assert.equal(retryDelayMs(1, 0, (await failed('40')).retryAfterMs), 40_000)
  const byDate = await failed(new Date(Date.now() + 3_600_000).toUTCString())
  assert.ok(retryDelayMs(1, 0, byDate.retryAfterMs) > 3_000_000)
  assert.equal(retryDelayMs(1, 0, (await failed('soon')).retryAfterMs), 1_000)
  assert.equal(retryDelayMs(1, 0, (await failed('99999999999')).retryAfterMs), 86_400_000)
})

test('isRetryable accepts transient statuses only', () => {
  const statuses = [0, 400, 401, 402, 403, 404, 408, 409, 410, 413, 422, 429, 500, 501, 502, 503, 504]
  const retried = statuses.filter((status) => isRetryable(new Failure(status, '')))
  assert.deepEqual(retried, [0, 408, 409, 429, 500, 502, 503, 504])
})

test('nextFailedRead counts failures and keeps the time of the first', () => {
  const first = nextFailedRead(undefined, new Failure(500, 'It broke.'))
  const second = nextFailedRead(first, new Failure(503, 'It is away.'))
  assert.deepEqual([second.count, second.since, second.failure.message], [2, first.since, 'It is away.'])
})
