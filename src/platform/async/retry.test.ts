import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoffDelay, retry } from './retry.ts'

const fast = { firstMs: 1, maxMs: 1 }

/** An action that fails the given number of times. */
function failing(times: number) {
  const state = { attempts: 0 }
  const action = async () => {
    if (++state.attempts <= times) throw new Error(`failure ${state.attempts}`)
    return 'done'
  }
  return { state, action }
}

test('the delay doubles with each failure up to its maximum', () => {
  const backoff = { firstMs: 100, maxMs: 500 }
  assert.deepEqual(
    [1, 2, 3, 4, 100].map((failures) => backoffDelay(backoff, failures)),
    [100, 200, 400, 500, 500],
  )
})

test('retry returns the result of the first successful attempt', async () => {
  const { state, action } = failing(2)
  assert.equal(await retry(action, { backoff: fast }), 'done')
  assert.equal(state.attempts, 3)
})

test('retry throws an error that is not retryable at once', async () => {
  const { state, action } = failing(2)
  await assert.rejects(retry(action, { backoff: fast, isRetryable: () => false }), /failure 1/)
  assert.equal(state.attempts, 1)
})

test('retry passes the number of attempts to isRetryable', async () => {
  const { action } = failing(9)
  await assert.rejects(retry(action, { backoff: fast, isRetryable: (_, attempts) => attempts < 3 }), /failure 3/)
})

test('retry throws the last error when its signal aborts during a delay', async () => {
  const { action } = failing(9)
  const stopping = new AbortController()
  const retried = retry(action, { backoff: { firstMs: 3_600_000, maxMs: 3_600_000 }, signal: stopping.signal })
  stopping.abort()
  await assert.rejects(retried, /failure 1/)
})
