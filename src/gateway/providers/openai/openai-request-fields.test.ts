import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashLongIds } from './openai-request-fields.ts'

test('ids of more than 64 characters are replaced by their hash', () => {
  const long = 'x'.repeat(65)
  for (const name of ['user', 'prompt_cache_key', 'safety_identifier']) {
    assert.match(String(hashLongIds({ [name]: long }, [])[name]), /^[0-9a-f]{64}$/, name)
    const body = { [name]: long.slice(1) }
    assert.equal(hashLongIds(body, []), body)
  }
})
