import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPolicyInput } from './rules.ts'

test('readPolicyInput parses lists for list rules, and single values for others', () => {
  const args = ['include_byok_in_budgets=true', 'allowed_models=a/b,c/d', 'limit_usd=5', 'reset_interval=monthly']
  assert.deepEqual(readPolicyInput(args, undefined), {
    include_byok_in_budgets: true,
    allowed_models: ['a/b', 'c/d'],
    limit_usd: 5,
    reset_interval: 'monthly',
  })
})
