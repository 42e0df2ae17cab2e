import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedFields, mergeFields } from './object-form.ts'

const base = { name: 'ci', limit: '5', keys: ['a'] }

test('mergeFields keeps local changes and adopts all other fields', () => {
  const theirs = { name: 'theirs', limit: '9', keys: ['a', 'b'] }
  assert.deepEqual(mergeFields(base, { ...base, name: 'mine' }, theirs), { ...theirs, name: 'mine' })
})

test('changedFields lists removed and added values', () => {
  assert.deepEqual(changedFields(base, { name: 'ci', limit: '', keys: ['a', 'b'] }), [
    { field: 'limit', removed: ['5'], added: [] },
    { field: 'keys', removed: ['a'], added: ['a', 'b'] },
  ])
})
