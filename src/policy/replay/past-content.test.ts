import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Policy } from '../guardrails/decide/policy.ts'
import { findUndecidableFilters, pastContentEffect } from './past-content.ts'

type Builtins = NonNullable<Policy['content_filter_builtins']>
const builtin = (slug: Builtins[number]['slug'], action: Builtins[number]['action']) => ({ slug, action, label: '' })
const finding = (slug: string) => ({
  guardrail_id: 'g',
  rule: `content_filter_builtins.${slug}`,
  action: 'flag' as const,
  count: 2,
})
const effect = (builtins: Builtins, ...found: string[]) =>
  pastContentEffect(
    { content_filter_builtins: builtins, content_filters: null },
    { content_findings: found.map(finding) },
  )

test('recorded findings are refused or redacted by the policy, block before redact', () => {
  const policy = [builtin('email', 'redact'), builtin('phone', 'block')]
  assert.deepEqual(effect(policy, 'email'), { outcome: 'redacted', rule: 'content_filter_builtins.email' })
  assert.deepEqual(effect(policy, 'email', 'phone'), { outcome: 'refused', rule: 'content_filter_builtins.phone' })
  assert.equal(effect(policy, 'ssn'), undefined)
  assert.equal(effect([builtin('email', 'flag')], 'email'), undefined)
})

test('filters that only flag leave nothing undecided', () => {
  const fields = (content_filter_builtins: Builtins | null, content_filters: Policy['content_filters'] = null) =>
    findUndecidableFilters({ content_filter_builtins, content_filters })
  assert.deepEqual(fields([builtin('email', 'flag')]), [])
  assert.deepEqual(fields([builtin('email', 'redact')], [{ pattern: 'x', action: 'block' }]), [
    'content_filter_builtins',
    'content_filters',
  ])
})
