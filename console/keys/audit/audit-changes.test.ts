import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesOf, formatValue } from './audit-changes.ts'

test('changesOf lists changed fields without updated_at', () => {
  const before = { name: 'ci', limit: 5, tags: ['a'], updated_at: '1' }
  assert.deepEqual(changesOf(before, { ...before, limit: 10, tags: ['a'], updated_at: '2' }), [
    { field: 'limit', before: 5, after: 10 },
  ])
})

test('changesOf lists all fields of created and deleted targets', () => {
  assert.deepEqual(changesOf(null, { name: 'ci' }), [{ field: 'name', before: undefined, after: 'ci' }])
  assert.deepEqual(changesOf({ name: 'ci' }, null), [{ field: 'name', before: 'ci', after: undefined }])
  assert.deepEqual([changesOf(null, null), changesOf(1, 2).length], [[], 1])
})

test('formatValue describes reasons and actions', () => {
  assert.deepEqual(
    [formatValue('not_found', 'reason'), formatValue('intern.file_read', 'act'), formatValue('not_found', 'name')],
    ['Not found.', 'read a file of an intern', 'not_found'],
  )
  assert.equal(formatValue('The run that asked this has ended.', 'reason'), 'The run that asked this has ended.')
})

test('formatValue formats values on one line', () => {
  assert.deepEqual([formatValue(null), formatValue('x'), formatValue({ a: 1 })], ['–', 'x', '{"a":1}'])
})
