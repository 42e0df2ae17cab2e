import assert from 'node:assert/strict'
import { test } from 'node:test'
import { picoUsd } from '#platform/core/pico-usd.ts'
import { budgetOfPast } from './budget-past.ts'

const noon = Date.UTC(2026, 10, 18, 12)
const hour = 3_600_000
const spending = (usd: string, hours = 0, byok = false) => ({ at: noon + hours * hour, cost: picoUsd(usd), byok })
const limited = (limit_usd: number | null, more = {}) => ({
  limit_usd,
  reset_interval: null,
  include_byok_in_budgets: false,
  ...more,
})

test('requests are admitted up to the limit exactly, and a smaller one may fit after one that did not', () => {
  const budget = budgetOfPast(limited(1), noon, picoUsd('0.2'))
  assert.equal(budget.admits(spending('0.5')), true)
  assert.equal(budget.admits(spending('0.4')), false)
  assert.equal(budget.admits(spending('0.3')), true)
  assert.equal(budget.admits(spending('0.000000000001')), false)
  assert.equal(budget.admits(spending('0')), true)
})

test('each period starts anew, at midnight UTC', () => {
  const budget = budgetOfPast(limited(1, { reset_interval: 'daily' }), noon, picoUsd('1'))
  assert.equal(budget.admits(spending('1', 11)), false)
  assert.equal(budget.admits(spending('1', 12)), true)
  assert.equal(budget.admits(spending('1', 13)), false)
})

test('what was spent before the replay counts, however much it was', () => {
  const budget = budgetOfPast(limited(1), noon, 0n)
  budget.count(spending('5'))
  assert.equal(budget.admits(spending('0.1')), false)
})

test('spend on own provider keys counts only where the policy says so', () => {
  const without = budgetOfPast(limited(1), noon, 0n)
  assert.equal(without.admits(spending('0.9', 0, true)), true)
  assert.equal(without.admits(spending('0.9')), true)
  const included = budgetOfPast(limited(1, { include_byok_in_budgets: true }), noon, 0n)
  included.count(spending('0.9', 0, true))
  assert.equal(included.admits(spending('0.9')), false)
})

test('without a limit everything is admitted', () => {
  assert.equal(budgetOfPast(limited(null), noon, 0n).admits(spending('1000000')), true)
})
