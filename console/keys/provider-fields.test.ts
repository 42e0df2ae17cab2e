import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeIn, newProvider, priorities, priorityOf, useOf } from './provider-fields.ts'

test('priorityOf and useOf are inverse', () => {
  for (const when of Object.keys(priorities) as (keyof typeof priorities)[]) assert.equal(priorityOf(useOf(when)), when)
})

test('changeIn has the changed fields only', () => {
  const before = { ...newProvider, provider: 'openai', name: 'team' }
  assert.deepEqual(changeIn(before, before), {})
  assert.deepEqual(changeIn(before, { ...before, key: 'sk-2', name: ' ' }), { key: 'sk-2', name: null })
  assert.deepEqual(changeIn(before, { ...before, priority: 'only', disabled: true }), {
    is_fallback: false,
    is_required: false,
    is_byok_only: true,
    disabled: true,
  })
})
