import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axisTicks, timeTicks } from './axis-ticks.ts'

test('axisTicks returns few round numbers from zero', () => {
  assert.deepEqual(axisTicks(66), [0, 20, 40, 60, 80])
  assert.deepEqual(axisTicks(0.0031), [0, 0.001, 0.002, 0.003, 0.004])
})

test('axisTicks returns integers for counts', () => {
  assert.deepEqual(axisTicks(2, true), [0, 1, 2])
  assert.deepEqual(axisTicks(2), [0, 0.5, 1, 1.5, 2])
})

test('timeTicks are round local times, up to a maximum', () => {
  const seconds = (...at: [number, number]) => new Date(2026, 10, 22, ...at).getTime() / 1000
  assert.deepEqual(
    timeTicks(seconds(13, 50), seconds(14, 50), 5),
    [14, 14.25, 14.5, 14.75].map((at) => seconds(0, at * 60)),
  )
  assert.deepEqual(
    timeTicks(seconds(1, 0), seconds(72, 0), 3),
    [24, 48, 72].map((hour) => seconds(hour, 0)),
  )
})
