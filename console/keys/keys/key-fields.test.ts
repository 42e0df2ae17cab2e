import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Key } from '../../api/types.ts'
import { emptyFields, fieldsOf, parseFields, patchOf, undoOf } from './key-fields.ts'

const key = {
  name: 'ci',
  limit: 25,
  limit_reset: 'monthly',
  expires_at: '2027-01-31T10:00:00.000Z',
  disabled: false,
} as Key

test('patchOf has the changed fields only', () => {
  const before = fieldsOf(key)
  assert.deepEqual(patchOf(before, before), {})
  assert.deepEqual(patchOf(before, { ...before, name: ' bot ' }), { name: 'bot' })
  assert.deepEqual(patchOf(before, { ...before, limit: '0' }), { limit: 0 })
})

test('patchOf removes the reset together with the limit', () => {
  assert.deepEqual(patchOf(fieldsOf(key), { ...fieldsOf(key), limit: '' }), { limit: null, limit_reset: null })
})

test('parseFields expires a key at the end of its day', () => {
  const { expires_at } = parseFields({ ...emptyFields, expires: '2027-01-31' })
  assert.equal(expires_at, new Date(2027, 0, 31, 23, 59, 59).toISOString())
  assert.equal(parseFields(emptyFields).expires_at, null)
})

test('undoOf restores the previous values exactly', () => {
  const patch = patchOf(fieldsOf(key), { ...fieldsOf(key), expires: '', disabled: true })
  assert.deepEqual(undoOf(patch, key), { expires_at: key.expires_at, disabled: false })
})
