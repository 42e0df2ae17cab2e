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
  // Of a key, and of a guardrail.
  assert.deepEqual(['limit', 'limit_usd'].map(ruleLabel), ['spending limit', 'spending limit'])
  assert.equal(fieldLabel('limit_usd'), 'limit, USD')
})
