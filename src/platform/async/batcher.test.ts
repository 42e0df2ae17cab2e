import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test/harness/until.ts'
import { createBatcher } from './batcher.ts'

const anHour = 3_600_000

function collecting(rhythm: { maxItems: number; maxDelayMs: number }) {
  const taken: number[] = []
  return { taken, batches: createBatcher<number>(rhythm, (item) => taken.push(item)) }
}

test('items wait for each other, and are taken in their order when there are enough', () => {
  const { taken, batches } = collecting({ maxItems: 3, maxDelayMs: anHour })
  batches.add(1)
  batches.add(2)
  assert.deepEqual(taken, [])
  batches.add(3)
  assert.deepEqual(taken, [1, 2, 3])
  batches.add(4)
  assert.deepEqual(taken, [1, 2, 3])
  batches.flush()
  assert.deepEqual(taken, [1, 2, 3, 4])
})

test('a single item is processed after the delay, although the batch is not full', async () => {
  const { taken, batches } = collecting({ maxItems: 3, maxDelayMs: 1 })
  batches.add(1)
  await until(() => taken.length === 1)
  batches.flush()
  assert.deepEqual(taken, [1])
})
