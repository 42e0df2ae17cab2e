import assert from 'node:assert/strict'
import { test } from 'node:test'
import { predictSpending } from './forecast.ts'

const sunday = Date.UTC(2026, 10, 22, 12)
const spent = 5_000_000_000_000n

test('half a day gone and 5 spent makes 10 at the end of it', () => {
  assert.equal(predictSpending('daily', spent, sunday), 2n * spent)
})

test('weeks end on Sunday and months when they do, all in UTC', () => {
  assert.equal(predictSpending('weekly', 13n, sunday), 14n)
  assert.equal(predictSpending('monthly', 43n, sunday), 60n)
})

test('a limit without reset and a new period have no forecast', () => {
  assert.equal(predictSpending(null, spent, sunday), null)
  assert.equal(predictSpending('daily', spent, Date.UTC(2026, 10, 22)), null)
  assert.equal(predictSpending('daily', spent, Date.UTC(2026, 10, 22, 0, 30)), null)
  assert.notEqual(predictSpending('daily', spent, Date.UTC(2026, 10, 22, 1)), null)
})
