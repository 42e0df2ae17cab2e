import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ByteBuffer } from './byte-buffer.ts'

test('stored bytes are returned unchanged, in any chunks', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 6000, size: 'max' }))
  const holds = (given: Uint8Array[], last: Uint8Array) => {
    const held = new ByteBuffer()
    for (let round = 0; round < 2; round++) {
      for (const piece of given) held.add(Buffer.from(piece))
      assert.equal(
        held.byteLength,
        given.reduce((sum, { length }) => sum + length, 0),
      )
      assert.deepEqual(held.take(Buffer.from(last)), Buffer.concat([...given, last]))
    }
  }
  fc.assert(fc.property(pieces, fc.uint8Array(), holds), { numRuns: 50 })
})

test('a megabyte that drips takes little more than a megabyte', () => {
  const before = process.memoryUsage()
  const held = new ByteBuffer()
  for (let byte = 0; byte < 1024 * 1024; byte++) held.add(Buffer.from('x'))
  globalThis.gc?.()
  const after = process.memoryUsage()
  assert.ok(after.heapUsed - before.heapUsed < 30e6, `${after.heapUsed - before.heapUsed} bytes of objects`)
  assert.equal(held.take(Buffer.alloc(0)).length, 1024 * 1024)
})
