import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldLabel, ruleLabel } from './rule-label.ts'

test('ruleLabel describes rules and their parts', () => {
  assert.deepEqual(
    ['ignored_models', 'content_filter_builtins.credit-card', 'content_filters[2]', 'enforce_zdr_vendor_a'].map(
      ruleLabel,
    ),
    ['ignored models', 'text with credit-card', 'text that matches a pattern', 'zero data retention'],
  )
  // Rules of a key, a guardrail, and a turn of an intern.
  assert.deepEqual(['limit', 'limit_usd', 'max_cost_usd'].map(ruleLabel), [
    'key limit spent',
    'spending limit',
    'turn budget spent',
  ])
  assert.equal(fieldLabel('limit_usd'), 'limit, USD')
})
