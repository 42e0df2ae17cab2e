import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownBytes, ownLatin1 } from './own-bytes.ts'

test('pieces that are kept hold no more memory than they are long', () => {
  const { first, second, none } = ownBytes({
    first: Buffer.from('one'),
    none: Buffer.alloc(0),
    second: Buffer.from('two, größer'),
  })
  assert.deepEqual([first.toString(), none.length, second.toString()], ['one', 0, 'two, größer'])
  assert.equal(first.buffer, second.buffer)
  assert.equal(first.buffer.byteLength, first.length + second.length)
})

test('text that is kept holds no more memory than it is long', () => {
  const bytes = ownLatin1('gr\u00f6\u00dfer')
  assert.deepEqual([bytes.toString('latin1'), bytes.buffer.byteLength], ['gr\u00f6\u00dfer', 6])
})
