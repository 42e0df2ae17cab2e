import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonParseQuota } from './json-parse-quota.ts'

const list = (item: string, count: number) => `[${Array(count).fill(item).join(',')}]`
const fields = (count: number) => `{${Array.from({ length: count }, (_, i) => `"name${i}":"some value"`).join(',')}}`

test('any text of up to 256 KiB can be parsed', () => {
  const text = list('{}', 87_000)
  assert.ok(text.length < 256 * 1024)
  assert.ok(new JsonParseQuota().take(text))
})

test('later texts can be parsed until they have 100,000 parts together', () => {
  const quota = new JsonParseQuota()
  quota.take(' '.repeat(256 * 1024))
  assert.ok(quota.take(list('{}', 25_000)))
  assert.ok(quota.take(list('1', 49_000)))
  assert.equal(quota.take(list('1', 2000)), false)
  assert.equal(quota.take('{}'), false)
})

test('an object of more than 20,000 fields exceeds the quota', () => {
  assert.ok(new JsonParseQuota().take(fields(20_000)))
  assert.equal(new JsonParseQuota().take(fields(20_001)), false)
})

test('a long string counts as one part', () => {
  const quota = new JsonParseQuota()
  for (const content of ['{"a":[1,2]},\n', '\\"{,'])
    assert.ok(quota.take(`{"path":"x","content":${JSON.stringify(content.repeat(100_000))}}`))
})
