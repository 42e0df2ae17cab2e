import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedText, shorten } from './bounded-text.ts'

test('BoundedText returns the first and last bytes of an output, in pieces of any size', () => {
  const output = Buffer.from(Array.from({ length: 500 }, (_, index) => String(index)).join(' '))
  const expected = `${output.subarray(0, 10)}\n… ${output.length - 17} bytes omitted …\n${output.subarray(-7)}`
  for (const size of [1, 2, 3, 7, 11, 400, output.length]) {
    const bounded = new BoundedText({ head: 10, tail: 7 })
    for (let at = 0; at < output.length; at += size) bounded.add(output.subarray(at, at + size))
    assert.equal(bounded.text(), expected, String(size))
  }
})

test('shorten omits everything after the head with a tail of 0 bytes', () => {
  assert.equal(shorten('abcdef', { head: 2, tail: 0 }), 'ab\n… 4 bytes omitted …\n')
  assert.equal(shorten('abcdef', { head: 0, tail: 2 }), '\n… 4 bytes omitted …\nef')
  assert.equal(shorten('abcdef', { head: 3, tail: 3 }), 'abcdef')
})

test('shorten cuts between characters', () => {
  for (const character of ['a', 'é', '€', '😀']) {
    const bytes = Buffer.byteLength(character)
    const text = character.repeat(40)
    for (let limit = 8; limit < 16; limit++) {
      const stored = character.repeat(Math.floor(limit / bytes))
      const omitted = text.length / character.length - (2 * stored.length) / character.length
      assert.equal(
        shorten(text, { head: limit, tail: limit }),
        `${stored}\n… ${omitted * bytes} bytes omitted …\n${stored}`,
      )
    }
  }
})

test('BoundedText shows pending bytes and does not store them', () => {
  const bounded = new BoundedText({ head: 4, tail: 4 })
  bounded.add(Buffer.from('abc'))
  assert.equal(bounded.text(Buffer.from('defghijk')), 'abcd\n… 3 bytes omitted …\nhijk')
  assert.equal(bounded.text(), 'abc')
})
