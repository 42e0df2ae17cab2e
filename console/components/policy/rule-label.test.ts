import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldLabel, ruleLabel } from './rule-label.ts'

test('ruleLabel describes rules and their parts', () => {
  assert.deepEqual(
    ['ignored_models', 'content_filter_builtins.credit-card', 'content_filters[2]', 'enforce_zdr_vendor_a'].map(
      ruleLabel,
    ),
    ['blocked model', 'text with credit-card', 'text that matches a pattern', 'zero data retention'],
  )
  // Rules of a key, a guardrail, and a turn of an intern.
  assert.deepEqual(['limit', 'limit_usd', 'max_cost_usd'].map(ruleLabel), [
    'key limit used up',
    'spending limit',
    'turn budget used up',
  ])
  assert.deepEqual(['allowed_providers', 'allowed_data_regions'].map(ruleLabel), [
    'provider not allowed',
    'region not allowed',
  ])
  assert.deepEqual(['limit_usd', 'ignored_models', 'allowed_data_regions'].map(fieldLabel), [
    'limit, USD',
    'blocked models',
    'allowed regions',
  ])
})
