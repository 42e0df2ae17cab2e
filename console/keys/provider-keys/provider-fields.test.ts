import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedFields, newProvider, priorities, priorityFields, priorityOf } from './provider-fields.ts'

test('priorityOf and priorityFields are inverse', () => {
  for (const when of Object.keys(priorities) as (keyof typeof priorities)[])
    assert.equal(priorityOf(priorityFields(when)), when)
})

test('changedFields returns only changed fields', () => {
  const before = { ...newProvider, provider: 'openai', name: 'team' }
  assert.deepEqual(changedFields(before, before), {})
  assert.deepEqual(changedFields(before, { ...before, key: 'sk-2', name: ' ' }), { key: 'sk-2', name: null })
  assert.deepEqual(changedFields(before, { ...before, priority: 'only', disabled: true }), {
    is_fallback: false,
    is_required: false,
    is_byok_only: true,
    disabled: true,
  })
})
