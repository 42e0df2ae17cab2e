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

test('a request has at most 32 tags', () => {
  const tags = Array.from({ length: 60 }, (_, at) => `t${at}`).join(',')
  assert.equal(readRequestTags({ tags })!.length, 32)
})
