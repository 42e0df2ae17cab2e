import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonListReader } from './json-list-reader.ts'

/** Reads a text in chunks of this many bytes. */
function readIn(text: string, size: number) {
  const items: unknown[] = []
  const reader = new JsonListReader('data', (item) => items.push(JSON.parse(item.toString('utf8'))))
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
  return { items, rest: reader.end() }
}

const samples: [text: string, items: unknown[], rest: unknown][] = [
  ['{"data":[{"a":[1,2]},{"b":"]}"}],"n":1}', [{ a: [1, 2] }, { b: ']}' }], { data: [], n: 1 }],
  ['{ "x":{"data":[3]},"data" : [ {} , {"é":"\\"[\\\\"} ] }', [{}, { é: '"[\\' }], { x: { data: [3] }, data: [] }],
  ['{"data":[],"data2":[{"a":1}]}', [], { data: [], data2: [{ a: 1 }] }],
  ['{"not \\"data\\"":[{"a":1}],"error":{"message":"\\"data\\":"}}', [], undefined],
  ['{"error":null}', [], { error: null }],
  ['[{"data":[{}]}]', [], [{ data: [{}] }]],
]

test('items and the rest are those of JSON.parse, however the bytes are cut', () => {
  for (const [text, items, rest = JSON.parse(text)] of samples)
    for (let size = 1; size <= text.length + 4; size++) {
      const read = readIn(text, size)
      assert.deepEqual(read.items, items, `${text} in pieces of ${size}`)
      if (text.startsWith('{')) assert.deepEqual(read.rest, rest)
    }
})

test('items that are not objects, and invalid JSON, are refused', () => {
  for (const text of ['{"data":[1]}', '{"data":[[1]]}', '{"data":["a"]}', '{"data":[{},null]}'])
    for (const size of [1, 100]) assert.throws(() => readIn(text, size), /not an object/, text)
  for (const text of ['', '{"data":[{}]', '{"data":[{}}}', '{"data":[{"a":1]}', '{"data":[{"a"}]}', '{"data":[{}],}'])
    assert.throws(() => readIn(text, 3), SyntaxError, text)
})

test('the bytes outside of the list are limited', () =>
  assert.throws(() => readIn(`{"x":"${'x'.repeat(2e6)}","data":[]}`, 65_536), /over 1048576 bytes/))
