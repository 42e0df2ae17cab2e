import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyPolicy } from '../guardrails/policy.ts'
import { meaningOf } from './policy-words.ts'

test('a policy is told in sentences, one a rule, the limit first', () => {
  const policy = {
    ...emptyPolicy('House rules'),
    limit_usd: 50,
    reset_interval: 'monthly' as const,
    allowed_models: ['openai/gpt-5.5'],
    allowed_data_regions: ['europe' as const, 'us' as const],
    enforce_zdr: true,
    content_filter_builtins: [{ slug: 'email' as const, action: 'redact' as const, label: '[EMAIL]' }],
    content_filters: [{ pattern: 'project blue', action: 'block' as const }],
  }
  assert.deepEqual(meaningOf(policy), [
    'At most $50.00 a month.',
    'Allowed models: openai/gpt-5.5.',
    'Allowed regions: Europe or the US.',
    'Models only with zero data retention.',
    'Text with “project blue” is blocked.',
    'Text with email addresses is redacted.',
  ])
})

test('a vendor that says otherwise is left out of the rule on data', () => {
  const policy = { ...emptyPolicy(''), enforce_zdr: true, enforce_zdr_vendor_b: false, enforce_zdr_other: false }
  assert.deepEqual(meaningOf(policy), ['Models of vendor a, vendor c, vendor d only with zero data retention.'])
})

test('a policy that says nothing forbids nothing', () => assert.deepEqual(meaningOf(emptyPolicy('x')), []))

test('of a long list the first are named and the rest counted', () => {
  const allowed_models = Array.from({ length: 9 }, (_, index) => `a/${index}`)
  const [says] = meaningOf({ ...emptyPolicy(''), allowed_models })
  assert.equal(says, 'Allowed models: a/0, a/1, a/2, a/3, a/4, a/5 and 3 more.')
})
