import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { grains } from '../rollups/cell.ts'
import { containsMinute, coverTime } from './slot-ranges.ts'

const day = grains.day
const granularities = [undefined, 'minute', 'hour', 'day', 'week', 'month'] as const

test('a time is covered once, by the longest slots that fit', () => {
  const all = coverTime({ from: 100, to: 3 * day + 61 }, undefined, () => true)
  assert.deepEqual(all, [
    { grain: 1, from: 100, to: 120 },
    { grain: 60, from: 2, to: 24 },
    { grain: 1440, from: 1, to: 3 },
    { grain: 60, from: 72, to: 73 },
    { grain: 1, from: 4380, to: 4381 },
  ])
  assert.deepEqual(
    coverTime({ from: 60, to: 180 }, 'minute', () => true),
    [{ grain: 1, from: 60, to: 180 }],
  )
})

test('where short slots are not kept, the long one at the end counts whole', () => {
  const all = coverTime({ from: 100, to: 3 * day + 61 }, undefined, (grain, at) => grain > 1 || at > 2 * day)
  assert.deepEqual(all.slice(0, 2), [
    { grain: 60, from: 1, to: 24 },
    { grain: 1440, from: 1, to: 3 },
  ])
  assert.deepEqual(
    coverTime({ from: 100, to: 200 }, undefined, () => false),
    [{ grain: 1440, from: 0, to: 1 }],
  )
})

test('no minute is covered twice, and every one that is asked for is covered', () => {
  const minute = fc.integer({ min: 0, max: 5 * day })
  const stored = fc.record({ minute: fc.integer({ min: 0, max: 6 * day }), hour: fc.integer({ min: 0, max: 6 * day }) })
  fc.assert(
    fc.property(minute, minute, stored, fc.constantFrom(...granularities), (one, other, since, granularity) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)]
      const hoursSince = Math.min(since.minute, since.hour)
      const ranges = coverTime(
        { from, to },
        granularity,
        (grain, at) => at >= (grain === 1 ? since.minute : hoursSince),
      )
      let end = -1
      for (const range of ranges) {
        assert.ok(range.from * range.grain >= end && range.to > range.from, JSON.stringify(ranges))
        if (end >= 0) assert.equal(range.from * range.grain, end, JSON.stringify(ranges))
        end = range.to * range.grain
      }
      for (const at of [from, to - 1, (from + to) >> 1])
        if (at >= from && at < to) assert.equal(ranges.filter((range) => containsMinute(range, at)).length, 1)
    }),
  )
})
