import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecastOf } from './forecast.ts'

const sunday = Date.UTC(2026, 10, 22, 12)
const spent = 5_000_000_000_000n

test('half a day gone and 5 spent makes 10 at the end of it', () => {
  assert.equal(forecastOf('daily', spent, sunday), 2n * spent)
})

test('weeks end on Sunday and months when they do, all in UTC', () => {
  assert.equal(forecastOf('weekly', 13n, sunday), 14n)
  assert.equal(forecastOf('monthly', 43n, sunday), 60n)
})

test('a limit without reset and a new period have no forecast', () => {
  assert.equal(forecastOf(null, spent, sunday), null)
  assert.equal(forecastOf('daily', spent, Date.UTC(2026, 10, 22)), null)
  assert.equal(forecastOf('daily', spent, Date.UTC(2026, 10, 22, 0, 30)), null)
  assert.notEqual(forecastOf('daily', spent, Date.UTC(2026, 10, 22, 1)), null)
})
