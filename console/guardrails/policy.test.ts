import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesBetween, emptyPolicy, patchBetween, policyOf } from './policy.ts'

const before = { ...emptyPolicy('House rules'), limit_usd: 50, allowed_models: ['a/one', 'a/two'] }

test('changesBetween lists removed and added items', () => {
  const after = { ...before, limit_usd: 20, allowed_models: ['a/two', 'a/three'] }
  assert.deepEqual(changesBetween(before, after), [
    { field: 'limit_usd', removed: ['50'], added: ['20'] },
    { field: 'allowed_models', removed: ['a/one'], added: ['a/three'] },
  ])
})

test('patchBetween has the changed fields with whole lists', () => {
  const after = { ...before, description: '', allowed_models: ['a/two', 'a/three'] }
  assert.deepEqual(patchBetween(before, after), { allowed_models: ['a/two', 'a/three'] })
  assert.deepEqual(patchBetween({ ...before, description: 'old' }, after).description, null)
})

test('patchBetween sends all vendor fields when enforce_zdr changes', () => {
  const was = { ...before, enforce_zdr_vendor_a: false }
  const patch = patchBetween(was, { ...was, enforce_zdr: true, enforce_zdr_vendor_b: true })
  assert.deepEqual([patch.enforce_zdr, patch.enforce_zdr_vendor_a, patch.enforce_zdr_vendor_b], [true, false, true])
  assert.equal(patch.enforce_zdr_other, null)
})

test('patchBetween ignores labels of built-in filters', () => {
  const labelled = (label: string, action: 'block' | 'redact') => [{ slug: 'email' as const, action, label }]
  const was = { ...before, content_filter_builtins: labelled('[EMAIL]', 'redact') }
  assert.deepEqual(patchBetween(was, { ...was, content_filter_builtins: labelled('', 'redact') }), {})
  assert.deepEqual(patchBetween(was, { ...was, content_filter_builtins: labelled('', 'block') }), {
    content_filter_builtins: [{ slug: 'email', action: 'block' }],
  })
})

test('policyOf keeps only policy fields', () => {
  const state = {
    ...before,
    id: 'g',
    workspace_id: 'w',
    created_at: 'then',
    updated_at: 'now',
    enforce_zdr_google: null,
  }
  assert.deepEqual(policyOf(state), before)
})
