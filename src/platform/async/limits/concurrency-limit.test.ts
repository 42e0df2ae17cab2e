import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { concurrencyLimit } from './concurrency-limit.ts'

test('concurrencyLimit runs tasks in order, and never more than the limit', async () => {
  const limited = concurrencyLimit(2)
  const started: number[] = []
  let [running, peak] = [0, 0]
  const task = async (id: number) => {
    started.push(id)
    peak = Math.max(peak, ++running)
    await setImmediate()
    running--
    if (id % 2) throw new Error(`${id}`)
    return id
  }
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map((id) => limited(() => task(id))))
  assert.deepEqual([started, peak], [[1, 2, 3, 4, 5], 2])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected'],
  )
  assert.equal(await limited(() => task(6)), 6)
})
