import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRequestTags } from './request-tags.ts'

test('metadata are tags; tags has several values, and long texts are not tags', () => {
  const metadata = { team: 'search', tags: 'nightly, eval,,nightly', prompt: 'x'.repeat(129), empty: '' }
  assert.deepEqual(readRequestTags(metadata), [
    ['team', 'search'],
    ['tags', 'nightly'],
    ['tags', 'eval'],
  ])
  assert.equal(readRequestTags({ empty: ' ' }), undefined)
  assert.equal(readRequestTags(null), undefined)
})

test('tags whose joined name and value are equal stay apart', () => {
  const metadata = { customer: 'acme=west', 'customer=acme': 'west' }
  assert.deepEqual(readRequestTags(metadata), Object.entries(metadata))
})

test('names that are equal in the ledger are one tag', () => {
  assert.deepEqual(readRequestTags({ 'team\0': 'search', 'team\ufffd': 'search' }), [['team\ufffd', 'search']])
})

test('a request has at most 32 tags', () => {
  const tags = Array.from({ length: 60 }, (_, at) => `t${at}`).join(',')
  assert.equal(readRequestTags({ tags })!.length, 32)
})
