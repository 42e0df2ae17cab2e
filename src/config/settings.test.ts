import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Settings } from './settings.ts'

test('the four vendors of zero data retention are four, and none takes the name of another field', () => {
  const { zdr_vendors } = Settings.parse({})
  const refused = (d: object) => Settings.safeParse({ zdr_vendors: { ...zdr_vendors, d } }).error?.issues[0]?.path
  assert.equal(refused({ author: 'mistralai', suffix: 'mistral' }), undefined)
  assert.deepEqual(refused({ author: 'openai', suffix: 'mine' }), ['zdr_vendors', 'd', 'author'])
  for (const suffix of ['openai', 'other', 'vendor_d']) {
    assert.deepEqual(refused({ author: 'mistralai', suffix }), ['zdr_vendors', 'd', 'suffix'])
  }
})
