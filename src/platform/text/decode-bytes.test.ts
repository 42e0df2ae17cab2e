import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { decodeLatin1, decodeUtf8, toUtf8 } from './decode-bytes.ts'

/** Characters that can lie across the cut of a long text: of one to four bytes, and invalid bytes. */
const piece = fc.oneof(
  fc.constantFrom('a', 'ü', '€', '😀', '\ufeff').map((text) => Buffer.from(text)),
  fc.uint8Array({ minLength: 1, maxLength: 5 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom([0x80, 0x80, 0x80, 0x80, 0x80], [0xf0, 0x9f, 0x98], [0xe2, 0x82], [0xed, 0xa0, 0x80])
    .map(Buffer.from),
)
const around = fc.tuple(fc.nat(12), fc.array(piece, { maxLength: 8 }), fc.boolean())

describe('the text of bytes', () => {
  test('equals the decoding of Node, in any chunks', () => {
    fc.assert(
      fc.property(around, ([before, pieces, isTwice]) => {
        const part = Buffer.concat([Buffer.alloc(1_000_000 - before, 'x'), ...pieces])
        const bytes = isTwice ? Buffer.concat([part, part]) : part
        assert.ok(decodeUtf8(bytes) === bytes.toString('utf8'))
        assert.ok(decodeLatin1(bytes) === bytes.toString('latin1'))
      }),
      { numRuns: 200 },
    )
  })

  test('uses no memory outside the heap that only a full collection would free', () => {
    const bytes = Buffer.alloc(8_000_000, 'x')
    const before = process.memoryUsage().external
    const texts = [decodeUtf8(bytes), decodeLatin1(bytes)]
    const after = process.memoryUsage().external
    assert.ok(after - before < 1_000_000, `${after - before} bytes for ${texts.length} texts`)
  })
})

test('bytes in another encoding become UTF-8, and those of an unknown one stay', () => {
  const latin1 = Buffer.from('caf\u00e9', 'latin1')
  assert.equal(toUtf8(latin1, 'application/json; charset=ISO-8859-1').toString(), 'caf\u00e9')
  assert.equal(toUtf8(Buffer.from('a', 'utf16le'), 'text/html; charset="utf-16le"').toString(), 'a')
  for (const type of ['application/json', 'text/plain; charset=UTF-8', 'text/plain; charset=unknown'])
    assert.equal(toUtf8(latin1, type), latin1)
})
