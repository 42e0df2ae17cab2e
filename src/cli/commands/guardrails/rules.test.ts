import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRulesInput } from './rules.ts'

test('readRulesInput parses lists for list rules, and single values for others', () => {
  const words = ['include_byok_in_budgets=true', 'allowed_models=a/b,c/d', 'limit_usd=5', 'reset_interval=monthly']
  assert.deepEqual(readRulesInput(words, undefined), {
    include_byok_in_budgets: true,
    allowed_models: ['a/b', 'c/d'],
    limit_usd: 5,
    reset_interval: 'monthly',
  })
})
