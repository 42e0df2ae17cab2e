import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyPolicy } from '../../guardrails/policy.ts'
import { describePolicy } from './policy-description.ts'

test('describePolicy returns a sentence per rule, the limit first', () => {
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
  assert.deepEqual(describePolicy(policy), [
    'At most $50.00 per month.',
    'Allowed models: openai/gpt-5.5.',
    'Allowed regions: Europe or the US.',
    'Models only with zero data retention.',
    'Text with “project blue” is blocked.',
    'Text with email addresses is redacted.',
  ])
})

test('describePolicy names only the vendors that need zero data retention', () => {
  const policy = { ...emptyPolicy(''), enforce_zdr: true, enforce_zdr_vendor_b: false, enforce_zdr_other: false }
  assert.deepEqual(describePolicy(policy), ['Models of vendor a, vendor c, vendor d only with zero data retention.'])
})

test('describePolicy returns nothing for a policy without rules', () =>
  assert.deepEqual(describePolicy(emptyPolicy('x')), []))

test('describePolicy counts the models after the first six', () => {
  const allowed_models = Array.from({ length: 9 }, (_, index) => `a/${index}`)
  const [sentence] = describePolicy({ ...emptyPolicy(''), allowed_models })
  assert.equal(sentence, 'Allowed models: a/0, a/1, a/2, a/3, a/4, a/5 and 3 more.')
})
