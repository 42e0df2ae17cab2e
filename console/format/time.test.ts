import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axisTimes, clockTime, duration, relativeTime } from './time.ts'

const now = new Date(2026, 10, 22, 14, 3, 29)
const before = (ms: number) => new Date(now.getTime() - ms)

test('how long something took has three digits at the most, and its unit', () => {
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

test('a time is told relative to now, to the past and to the future', () => {
  const texts = [0, 2_000, 300_000, 7_200_000, 259_200_000, -5_000].map((ms) => relativeTime(before(ms), now))
  assert.deepEqual(texts, ['now', '2 s ago', '5 min ago', '2 h ago', '3 d ago', 'in 5 s'])
})

test('a time of another day says which', () => {
  assert.equal(clockTime(before(2_000), now), '14:03:27')
  assert.equal(clockTime(before(86_400_000), now), '11-21 14:03:29')
})

test('an axis of time tells the hour, and the day where one begins', () => {
  const midnight = new Date(2026, 10, 22).getTime() / 1000
  assert.deepEqual(axisTimes([midnight, midnight + 6.5 * 3600]), ['11-22', '06:30'])
})
