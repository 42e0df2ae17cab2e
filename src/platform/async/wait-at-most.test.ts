import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitAtMost } from './wait-at-most.ts'

const anHour = 3_600_000

test('a wait with a limit returns the value of a promise that settles in time', async () => {
  assert.equal(await waitAtMost(anHour, Promise.resolve(1), 2), 1)
  await assert.rejects(waitAtMost(anHour, Promise.reject(new Error('failed'))), /failed/)
})

test('a wait with a limit returns undefined or the given value after its time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { promise } = Promise.withResolvers<void>()
  const waits = [waitAtMost(anHour, promise), waitAtMost(anHour, promise, false)]
  t.mock.timers.tick(anHour)
  assert.deepEqual(await Promise.all(waits), [undefined, false])
})
