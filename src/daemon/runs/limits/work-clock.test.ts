import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkClock } from './work-clock.ts'

test('a work clock does not count pauses', () => {
  let now = 1000
  const clock = createWorkClock(() => now)
  assert.equal(clock.reachedAt(500), undefined)
  clock.setWorking(true)
  assert.equal(clock.reachedAt(500), 1500)
  now = 1200
  clock.setWorking(true)
  clock.setWorking(false)
  assert.equal(clock.reachedAt(500), undefined)
  now = 9000
  clock.setWorking(true)
  assert.equal(clock.reachedAt(500), 9300)
})
