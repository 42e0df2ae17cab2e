import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClockOffset } from './clock-offset.ts'

test('a clock that differs by less than a second is not corrected', () => {
  const offset = new ClockOffset(() => assert.fail('reported'))
  offset.add({ offsetMs: -900, roundTripMs: 4 })
  assert.equal(offset.correctionMs, 0)
})

test('a skewed clock is corrected and reported once, until it is set', () => {
  const reports: number[] = []
  const offset = new ClockOffset((ms) => reports.push(ms))
  offset.add({ offsetMs: -600_000.4, roundTripMs: 4 })
  offset.add({ offsetMs: -600_001, roundTripMs: 4 })
  assert.deepEqual([offset.correctionMs, reports], [-600_001, [-600_000]])
  offset.add({ offsetMs: 3, roundTripMs: 4 })
  assert.equal(offset.correctionMs, 0)
})

test('a comparison that took long is not used', () => {
  const offset = new ClockOffset(() => assert.fail('reported'))
  offset.add({ offsetMs: 5000, roundTripMs: 9000 })
  assert.equal(offset.correctionMs, 0)
})
