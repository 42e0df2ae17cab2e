import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Budget, budgetStatus } from './budgets.ts'

const budget: Budget = {
  id: '1',
  name: 'ci',
  kind: 'key',
  path: '/keys?q=1',
  limit: 10,
  spent: 5,
  reserved: 0,
  forecast: null,
  interval: 'daily',
  resetsAt: null,
}

test('budgetStatus reports used-up limits and forecasts', () => {
  const cases = [{ spent: 2 }, { spent: 5.1, forecast: 10.2 }, { spent: 9.5 }, { spent: 10 }]
  const tones = cases.map((more) => budgetStatus({ ...budget, ...more }).tone)
  assert.deepEqual(tones, ['ok', 'warn', 'warn', 'bad'])
})
