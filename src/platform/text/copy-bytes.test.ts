import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copyBytes, encodeLatin1 } from './copy-bytes.ts'

test('stored chunks use no more memory than their length', () => {
  const { first, second, none } = copyBytes({
    first: Buffer.from('one'),
    none: Buffer.alloc(0),
    second: Buffer.from('two, größer'),
  })
  assert.deepEqual([first.toString(), none.length, second.toString()], ['one', 0, 'two, größer'])
  assert.equal(first.buffer, second.buffer)
  assert.equal(first.buffer.byteLength, first.length + second.length)
})

test('stored text uses no more memory than its length', () => {
  const bytes = encodeLatin1('gr\u00f6\u00dfer')
  assert.deepEqual([bytes.toString('latin1'), bytes.buffer.byteLength], ['gr\u00f6\u00dfer', 6])
})
