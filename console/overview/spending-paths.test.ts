import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monthOf, spendingByMember } from './spending-paths.ts'

test('monthOf returns the days of this month up to today, and all days of earlier ones', () => {
  const now = Date.UTC(2026, 0, 15, 23)
  assert.deepEqual(monthOf(0, now), { from: '2026-01-01', to: '2026-01-15' })
  assert.deepEqual(monthOf(1, now), { from: '2025-12-01', to: '2025-12-31' })
  assert.equal(spendingByMember(now), '/overview/explore?by=member&from=2026-01-01')
})
