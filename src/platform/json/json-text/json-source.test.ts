import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { JsonSource } from './json-source.ts'

function sourceOf(given: string | Buffer) {
  const bytes = Buffer.from(given as string)
  const text = bytes.toString('utf8')
  return new JsonSource(JSON.parse(text), bytes, text)
}
const changed = (given: string | Buffer, changes: Record<string, unknown>) => {
  const pieces = sourceOf(given).serializeWith(changes)
  return pieces && Buffer.concat(pieces).toString('utf8')
}

const word = fc.constantFrom('model', 'stream', 'a', 'toString', 'ü', 'with"quote', '__proto')
const long = 'x'.repeat(20_000)
const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constant(long))

describe('an object with its bytes', () => {
  test('any fields can be changed, and all others are unchanged', () => {
    const changes = fc.dictionary(fc.constantFrom('model', 'stream', 'new'), fc.option(value, { nil: undefined }))
    fc.assert(
      fc.property(fc.dictionary(word, value), changes, fc.constantFrom(undefined, 2), (object, edits, space) => {
        const text = JSON.stringify(object, null, space)
        const result = changed(text, edits)
        // A name with an escape cannot be left unchanged.
        if (result === undefined) return assert.ok(Object.hasOwn(object, 'with"quote'))
        const expected = JSON.parse(JSON.stringify({ ...object, ...edits }))
        assert.ok(isDeepStrictEqual(JSON.parse(result), expected), result.replaceAll(long, 'long'))
      }),
    )
  })

  test('becomes another that shares fields with it', () => {
    fc.assert(
      fc.property(fc.dictionary(word, value), fc.dictionary(word, value), (object, more) => {
        const source = sourceOf(JSON.stringify(object))
        const { stream: _gone, ...kept } = source.value as Record<string, unknown>
        const other = { ...kept, ...more }
        // Changed fields never have names beyond ASCII.
        if (Object.hasOwn(more, 'ü')) return
        const result = source.serializeAs(other)
        if (result === undefined) return assert.ok(Object.hasOwn(object, 'with"quote'))
        assert.deepEqual(JSON.parse(String(Buffer.concat(result))), JSON.parse(JSON.stringify(other)))
      }),
    )
  })

  test('keeps every byte of unchanged parts', () => {
    const text = '{ "big": 12345678901234567890, "model":"a", "text": "Gr\\u00fc\\u00df ü" }'
    assert.equal(
      changed(text, { model: 'b' }),
      '{"model":"b","big": 12345678901234567890,"text": "Gr\\u00fc\\u00df ü"}',
    )
    assert.equal(changed('{"model":"a"}', { model: undefined }), '{}')
    assert.equal(changed('{}', { model: 'b' }), '{"model":"b"}')
  })

  test('does not copy a long field', () => {
    const bytes = Buffer.from(JSON.stringify({ model: 'a', messages: 'x'.repeat(50_000), stream: true }))
    const text = bytes.toString()
    const pieces = new JsonSource(JSON.parse(text), bytes, text).serializeWith({ model: 'b' })!
    assert.ok(pieces.some((piece) => piece.buffer === bytes.buffer && piece.length > 50_000))
  })

  test('does not reuse the bytes of a body that other parsers can read differently', () => {
    for (const text of [
      ...['{"a":1,"a":2}', '{"x":{"a":1,"a":2}}', '{"x":[{"a":1,"b":2,"a":3}]}', '{"a":1,"\\u0061":2}'],
      ...['{"mod\\u0065l":"a"}', '{"x":1,"s\\u0074ream":true}'],
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0x80]), Buffer.from('"}')]),
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    ])
      assert.equal(changed(text, { model: 'b' }), undefined, String(text))
  })

  test('an object with very many fields is serialized completely', () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`m${at}`, at]))
    assert.equal(changed(JSON.stringify(many), {}), undefined)
    assert.equal(changed(JSON.stringify({ list: Array(600).fill(1) }), {}), undefined)
  })
})
