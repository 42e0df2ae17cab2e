import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axisTimes, clockTime, duration, relativeTime } from './time.ts'

const now = new Date(2026, 10, 22, 14, 3, 29)
const before = (ms: number) => new Date(now.getTime() - ms)

test('duration has at most three digits and a unit', () => {
  const texts = [0, 0.15, 4, 81, 620, 5900, 14_200, 59_949, 125_000, 7_260_000].map(duration)
  assert.deepEqual(texts, [
    '0 ms',
    '0.1 ms',
    '4 ms',
    '81 ms',
    '0.62 s',
    '5.9 s',
    '14.2 s',
    '59.9 s',
    '2 min 5 s',
    '2 h 1 min',
  ])
})

test('relativeTime formats past and future times', () => {
  const texts = [0, 2_000, 300_000, 7_200_000, 259_200_000, -5_000].map((ms) => relativeTime(before(ms), now))
  assert.deepEqual(texts, ['now', '2 s ago', '5 min ago', '2 h ago', '3 d ago', 'in 5 s'])
})

test('clockTime adds the date of another day', () => {
  assert.equal(clockTime(before(2_000), now), '14:03:27')
  assert.equal(clockTime(before(86_400_000), now), '11-21 14:03:29')
})

test('axisTimes labels midnight with the date', () => {
  const midnight = new Date(2026, 10, 22).getTime() / 1000
  assert.deepEqual(axisTimes([midnight, midnight + 6.5 * 3600]), ['11-22', '06:30'])
})
