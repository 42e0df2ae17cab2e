import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockTime, exactTime } from './time.ts'
import { setTimeZone } from './time-zone.ts'

test('times are those of the time zone, in summer and in winter', () => {
  const [winter, summer] = [new Date('2026-01-31T23:30:05.007Z'), new Date('2026-07-01T12:00:00Z')]
  setTimeZone('Europe/Berlin')
  assert.deepEqual([winter, summer].map(exactTime), ['2026-02-01 00:30:05.007 UTC+1', '2026-07-01 14:00:00.000 UTC+2'])
  assert.equal(clockTime(winter, new Date('2026-01-31T22:30:00Z')), '02-01 00:30:05')
  setTimeZone('Asia/Kolkata')
  assert.equal(exactTime(winter), '2026-02-01 05:00:05.007 UTC+5:30')
  setTimeZone('America/New_York')
  assert.deepEqual([clockTime(winter, winter), exactTime(winter)], ['18:30:05', '2026-01-31 18:30:05.007 UTC−5'])
  setTimeZone('UTC')
  assert.equal(exactTime(winter), '2026-01-31 23:30:05.007 UTC')
  assert.throws(() => setTimeZone('Nowhere/Else'), RangeError)
})
