import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPairJoiner } from './surrogate-pairs.ts'

test('any split of a text gives the same text, in well-formed pieces', () => {
  const text = 'a😀b👩‍💻'
  for (let at = 0; at <= text.length; at++)
    for (let end = at; end <= text.length; end++) {
      const join = createPairJoiner()
      const pieces = [text.slice(0, at), text.slice(at, end), text.slice(end)].map(join)
      assert.ok(pieces.every((piece) => piece.isWellFormed()))
      assert.equal(pieces.join(''), text)
    }
})

test('a lone surrogate is replaced', () => {
  const join = createPairJoiner()
  assert.deepEqual(['a\udc00', 'b\ud83d', 'c'].map(join), ['a\ufffd', 'b', '\ufffdc'])
})
