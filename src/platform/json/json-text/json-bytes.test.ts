import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonBytes } from './json-bytes.ts'

const values: unknown[] = [
  ...[null, true, 0, -1.5e30, '', 'Grüß "Gott" \n\u0001 🚂 \ud800', [], {}, [[]], [null, 1, 'a'], { a: {} }],
  ...[
    { 'ä"': [1, { b: null, c: [] }], d: 'e' },
    { a: undefined, b: [undefined], c: undefined },
  ],
]

test('jsonBytes: any value, is the length of JSON.stringify', () => {
  for (const value of values)
    assert.equal(
      jsonBytes(value, (field) => field),
      Buffer.byteLength(JSON.stringify(value)),
      JSON.stringify(value),
    )
})

test('jsonBytes: replaced fields, measures the replacement and none within it', () => {
  const value = { a: { b: 'long' }, c: [{ a: 'longer' }], d: 1 }
  const replace = (field: unknown, name: string) => (name === 'a' ? '' : field)
  const replaced = JSON.stringify(value, (name, field) => (name === 'a' ? '' : field))
  assert.equal(jsonBytes(value, replace), replaced.length)
})
