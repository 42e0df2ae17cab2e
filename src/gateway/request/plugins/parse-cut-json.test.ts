import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseCutJson } from './parse-cut-json.ts'

const cuts: [string, unknown][] = [
  ['{"a": [1, 2', { a: [1, 2] }],
  ['{"a": "b', { a: 'b' }],
  ['{"a": "b\\', { a: 'b' }],
  ['{"a": "b\\\\', { a: 'b\\' }],
  ['{"a": "b\\u00', { a: 'b' }],
  ['{"a": 1, "b', { a: 1 }],
  ['{"a": 1, "b"', { a: 1 }],
  ['{"a": 1, "b": ', { a: 1 }],
  ['{"a": [{"b": 1}, {"c": tr', { a: [{ b: 1 }, {}] }],
  ['{"a": [[1], [2]', { a: [[1], [2]] }],
  ['[1,', [1]],
  ['[', []],
]

for (const [text, value] of cuts) test(`${text} is read`, () => assert.deepEqual(parseCutJson(text), value))

test('a prefix of any object or list is read, and other errors are refused', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (inner, cut) => {
      const text = `[${inner}]`
      assert.ok(Array.isArray(parseCutJson(text.slice(0, 1 + (cut % text.length)))))
    }),
  )
  assert.throws(() => parseCutJson('{a: 1, "b": 2'), SyntaxError)
})
