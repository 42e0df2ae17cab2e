import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { applyChanges, findFields } from './json-fields.ts'

const word = fc.constantFrom('id', 'model', 'a', 'toString', 'usage', 'x\\')
const none = { set: {}, fill: {} }

describe('fields of objects in JSON text', () => {
  test('every field is found at its position, with any value and spacing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 2), (object, space) => {
        const text = JSON.stringify(object, null, space)
        const read = findFields(text, 0).flatMap(({ start, end }) =>
          Object.entries(JSON.parse(`{${text.slice(start, end)}}`)),
        )
        assert.deepEqual(read, Object.entries(JSON.parse(text)))
        assert.equal(applyChanges(text, 0, none), text)
      }),
    )
  })

  test('set fields are replaced, missing ones added, others unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(word, fc.jsonValue()), (object) => {
        const text = JSON.stringify({ ...object, usage: null })
        const changes = { set: { model: '"a/b"' }, fill: { id: '1' }, notNull: ['usage'] }
        const { usage: _usage, ...expected } = { ...JSON.parse(text), model: 'a/b' }
        assert.deepEqual(
          JSON.parse(applyChanges(text, 0, changes)),
          'id' in expected ? expected : { id: 1, ...expected },
        )
      }),
    )
  })

  test('a field that may not be null is taken out at any place', () => {
    const changes = { ...none, notNull: ['usage'] }
    const without = (text: string) => applyChanges(text, 0, changes)
    assert.equal(without('{"usage":null}'), '{}')
    assert.equal(without('{"usage":null, "a":1}'), '{"a":1}')
    assert.equal(without('{"a":1, "usage":null,"b":2}'), '{"a":1,"b":2}')
    assert.equal(without('{"a":1,"usage":{}}'), '{"a":1,"usage":{}}')
    assert.equal(without('{"a":"\\\\","usage":null}'), '{"a":"\\\\"}')
  })
})
