import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exhaustedNote, keyBudgetName } from './budget-labels.ts'

test('keyBudgetName names the owner of the budget and its interval', () => {
  assert.equal(keyBudgetName({ layer: 'workspace', reset_interval: 'monthly' }), 'Workspace, monthly')
  assert.equal(keyBudgetName({ layer: 'key_limit', reset_interval: null }), 'Limit of this key, lifetime')
})

test('exhaustedNote names the budget, its limit and the next reset', () => {
  const budget = { layer: 'workspace', reset_interval: 'daily', limit_usd: 5 } as const
  const now = new Date('2026-11-27T21:00:00Z')
  assert.equal(
    exhaustedNote({ ...budget, resets_at: '2026-11-28T00:00:00Z' }, now),
    'Requests are refused: Workspace, daily, of $5.00 is used up. It resets in 3 h.',
  )
  assert.match(exhaustedNote({ ...budget, reset_interval: null, resets_at: null }, now), /It never resets\.$/)
})
