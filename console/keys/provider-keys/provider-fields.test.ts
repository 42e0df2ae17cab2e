import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changedFields,
  newProvider,
  priorities,
  priorityFields,
  priorityOf,
  restrictionsOf,
} from './provider-fields.ts'

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

test('restrictionsOf names models, and counts members and keys', () => {
  const none = { allowed_models: null, allowed_user_ids: null, allowed_api_key_hashes: null }
  const some = { allowed_models: ['a/b'], allowed_user_ids: ['u'], allowed_api_key_hashes: ['h', 'i'] }
  assert.deepEqual([none, some].map(restrictionsOf), ['everything', 'a/b · 1 member · 2 keys'])
})
