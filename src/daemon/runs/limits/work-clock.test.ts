import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkClock } from './work-clock.ts'

test('a work clock does not count pauses', () => {
  let now = 1000
  const clock = new WorkClock(() => now)
  assert.equal(clock.timeWhenReached(500), undefined)
  clock.setWorking(true)
  assert.equal(clock.timeWhenReached(500), 1500)
  now = 1200
  clock.setWorking(true)
  clock.setWorking(false)
  assert.equal(clock.timeWhenReached(500), undefined)
  now = 9000
  clock.setWorking(true)
  assert.equal(clock.timeWhenReached(500), 9300)
})
