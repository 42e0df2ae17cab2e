import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retry } from './retry.ts'

/** An attempt that fails so many times, and its number of calls. */
function failing(times: number) {
  const state = { calls: 0, attempt: async () => 'done' as string }
  state.attempt = async () => {
    if (++state.calls <= times) throw new Error(`failure ${state.calls}`)
    return 'done'
  }
  return state
}

test('retry returns the result of the first attempt that succeeds', async () => {
  const failures: number[] = []
  const state = failing(2)
  const delayOf = (count: number) => {
    failures.push(count)
    return 0
  }
  assert.equal(await retry(state.attempt, delayOf), 'done')
  assert.deepEqual(failures, [1, 2])
})

test('retry throws the last error when its delays end', async () => {
  const state = failing(9)
  await assert.rejects(
    retry(state.attempt, (count) => (count < 3 ? 0 : undefined)),
    { message: 'failure 3' },
  )
  assert.equal(state.calls, 3)
})

test('a signal ends the delay between two attempts', async () => {
  const state = failing(9)
  const leaving = new AbortController()
  const retrying = retry(state.attempt, () => 3_600_000, { signal: leaving.signal })
  setImmediate(() => leaving.abort())
  await assert.rejects(retrying, { name: 'AbortError' })
  assert.equal(state.calls, 1)
})
