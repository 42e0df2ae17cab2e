import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitToSchema } from './fit-schema.ts'

const schemaWith = ($ref: string) => ({
  $defs: { count: { type: 'integer' } },
  type: 'object',
  properties: { a: { $ref } },
})

test('references within the schema are followed', () => {
  assert.deepEqual(fitToSchema({ a: '1' }, schemaWith('#/$defs/count')), { a: 1 })
  for (const elsewhere of [
    'other.json/$defs/count',
    '#/$defs/none',
    '#/$defs/count/type',
    'https://x.example/$defs/count',
  ])
    assert.deepEqual(fitToSchema({ a: '1' }, schemaWith(elsewhere)), { a: '1' })
})
