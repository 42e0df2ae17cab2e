import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Budget, forecastOf, periodAt, standingOf } from './budgets.ts'

const sunday = Date.UTC(2026, 10, 22, 12)
const budget: Budget = { id: '1', name: 'ci', kind: 'key', limit: 10, spent: 5, interval: 'daily', path: '/keys/1' }

test('periods begin as the service counts them: weeks on Monday, all in UTC', () => {
  const days = (['daily', 'weekly', 'monthly'] as const).map((interval) => {
    const { from, to } = periodAt(interval, sunday)
    return [from, to].map((at) => new Date(at).toISOString().slice(5, 10))
  })
  assert.deepEqual(days, [
    ['11-22', '11-23'],
    ['11-16', '11-23'],
    ['11-01', '12-01'],
  ])
})

test('half a day gone and 5 spent makes 10 at the end of it', () => {
  assert.equal(forecastOf(budget, sunday)?.amount, 10)
})

test('there is no forecast for a limit that never starts again, nor for a period that has just begun', () => {
  assert.equal(forecastOf({ ...budget, interval: null }, sunday), undefined)
  assert.equal(forecastOf(budget, Date.UTC(2026, 10, 22, 0, 30)), undefined)
})

test('a budget says whether it lasts', () => {
  const says = [2, 5.1, 10].map((spent) => {
    const told = { ...budget, spent }
    return standingOf(told, forecastOf(told, sunday)).tone
  })
  assert.deepEqual(says, ['ok', 'warn', 'bad'])
})
