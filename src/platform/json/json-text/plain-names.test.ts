import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJson, withPlainNames } from './plain-names.ts'

test('names with escapes are rewritten or replaced, and nothing else', () => {
  const text = '{"\\u0061": "\\u0062", "~~c":["\\u0064:"], "\\u0065\\n" :{}}'
  const { text: plain, originals } = withPlainNames(text)
  assert.equal(plain, '{"a": "\\u0062", "~~c":["\\u0064:"], "~~~0" :{}}')
  assert.deepEqual([...originals!], [['~~~0', 'e\n']])
  for (const unchanged of ['{"a":"\\n"}', '{"a\\u00":1}', '"\\n"', '{'])
    assert.equal(withPlainNames(unchanged).text, unchanged)
})

test('a field has its name and place, whatever names were read before', () => {
  const word = fc.string({ unit: fc.constantFrom('a', '\\', '"', 'u0061', ':', '{', '\n', 'ü', '~', '0') })
  const escapes = (json: string) => json.replaceAll('a', '\\u0061').replaceAll('ü', '\\u00fc')
  fc.assert(
    fc.property(
      fc.dictionary(word, fc.oneof(word, fc.array(fc.dictionary(word, word, { noNullPrototype: true })))),
      (value) => {
        // The engine guesses a prefix of the name in its escaped spelling.
        for (const name in value) parseJson(JSON.stringify({ [JSON.stringify(name).slice(1, 1 + name.length)]: 1 }))
        const read = parseJson(escapes(JSON.stringify(value))) as object
        assert.deepEqual(Object.entries(read), Object.entries(value))
      },
    ),
  )
})
