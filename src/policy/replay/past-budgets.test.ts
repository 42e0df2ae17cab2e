import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePicoUsd } from '#platform/core/pico-usd.ts'
import { PastBudget } from './past-budget.ts'
import { PastBudgets } from './past-budgets.ts'

const noon = Date.UTC(2026, 10, 18, 12)
const hour = 3_600_000
const spending = (usd: string, hours = 0, isByok = false) => ({
  createdAt: noon + hours * hour,
  charged: parsePicoUsd(usd),
  isByok,
})
const limited = (limit_usd: number | null, more = {}) => ({
  limit_usd,
  reset_interval: null,
  include_byok_in_budgets: false,
  ...more,
})

function admits(budget: PastBudget, request: ReturnType<typeof spending>): boolean {
  const hasRoom = budget.hasRoom(request)
  if (hasRoom) budget.count(request)
  return hasRoom
}

test('requests are admitted exactly up to the limit, also after a refused one', () => {
  const budget = new PastBudget(limited(1), noon, parsePicoUsd('0.2'))
  assert.equal(admits(budget, spending('0.5')), true)
  assert.equal(admits(budget, spending('0.4')), false)
  assert.equal(admits(budget, spending('0.3')), true)
  assert.equal(admits(budget, spending('0.000000000001')), false)
  assert.equal(admits(budget, spending('0')), true)
})

test('each period starts at zero, at midnight UTC', () => {
  const budget = new PastBudget(limited(1, { reset_interval: 'daily' }), noon, parsePicoUsd('1'))
  assert.equal(admits(budget, spending('1', 11)), false)
  assert.equal(admits(budget, spending('1', 12)), true)
  assert.equal(admits(budget, spending('1', 13)), false)
})

test('earlier spending counts, whatever the amount', () => {
  const budget = new PastBudget(limited(1), noon, 0n)
  budget.count(spending('5'))
  assert.equal(admits(budget, spending('0.1')), false)
})

test('spending on own provider keys counts only if the policy says so', () => {
  const without = new PastBudget(limited(1), noon, 0n)
  assert.equal(admits(without, spending('0.9', 0, true)), true)
  assert.equal(admits(without, spending('0.9')), true)
  const included = new PastBudget(limited(1, { include_byok_in_budgets: true }), noon, 0n)
  included.count(spending('0.9', 0, true))
  assert.equal(admits(included, spending('0.9')), false)
})

test('without a limit everything is admitted', () => {
  assert.equal(admits(new PastBudget(limited(null), noon, 0n), spending('1000000')), true)
})

test('a limit without spending on own provider keys never refuses their requests', () => {
  const budget = new PastBudget(limited(1), noon, parsePicoUsd('1'))
  assert.equal(admits(budget, spending('0.5', 0, true)), true)
  assert.equal(admits(budget, spending('0.5')), false)
})

const past = (usd: string, keyHash: string, userId: string) =>
  ({ createdAt: noon, charged: parsePicoUsd(usd), keyHash, userId, isByok: false }) as never

test('the default of a workspace limits each member and each key separately', () => {
  const before = [{ keyHash: 'ada-1', userId: 'ada', spent: parsePicoUsd('0.6') }]
  const budgets = new PastBudgets(limited(1), { everybody: true }, noon, before)
  assert.equal(budgets.chargeIfRoom(past('0.3', 'ada-2', 'ada')), true)
  assert.equal(budgets.chargeIfRoom(past('0.2', 'ada-2', 'ada')), false, 'the keys of a member count together')
  assert.equal(budgets.chargeIfRoom(past('0.9', 'grace-1', 'grace')), true)
  assert.equal(budgets.chargeIfRoom(past('0.1', 'ada-1', 'ada')), true)
})

test('a guardrail limits each member and each key that it is assigned to separately', () => {
  const governed = { everybody: false as const, keyHashes: new Set(['ci']), userIds: new Set(['ada']) }
  const budgets = new PastBudgets(limited(1), governed, noon, [])
  assert.equal(budgets.chargeIfRoom(past('1', 'ci', 'grace')), true)
  assert.equal(budgets.chargeIfRoom(past('1', 'ada-1', 'ada')), true)
  assert.equal(budgets.chargeIfRoom(past('0.1', 'ci', 'grace')), false)
  assert.equal(budgets.chargeIfRoom(past('0.1', 'ada-2', 'ada')), false)
  assert.equal(budgets.chargeIfRoom(past('5', 'free', 'grace')), true)
})
