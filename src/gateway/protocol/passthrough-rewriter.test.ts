import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toLatin1Json } from '#platform/json/json-text/json-fields.ts'

test('a name in JSON is written as its UTF-8 bytes', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '\n', '~\u007f', '[]!#', ''),
  )
  fc.assert(
    fc.property(text, (value) => {
      assert.equal(toLatin1Json(value), Buffer.from(JSON.stringify(value)).toString('latin1'))
    }),
  )
})
