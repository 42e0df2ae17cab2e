import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workClock } from './work-clock.ts'

test('the time in between does not count', () => {
  let now = 1000
  const clock = workClock(() => now)
  assert.equal(clock.reaches(500), undefined)
  clock.runs(true)
  assert.equal(clock.reaches(500), 1500)
  now = 1200
  clock.runs(true)
  clock.runs(false)
  assert.equal(clock.reaches(500), undefined)
  now = 9000
  clock.runs(true)
  assert.equal(clock.reaches(500), 9300)
})
