import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createLineSplitter } from './lines.ts'

test('lines come out the same however the bytes are cut', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')))
  const holds = (lines: string[], cuts: number[]) => {
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
    const cut = createLineSplitter(1e6)
    const out: string[] = []
    let at = 0
    for (const size of cuts) {
      out.push(...cut(bytes.subarray(at, at + size + 1)))
      at += size + 1
    }
    out.push(...cut(bytes.subarray(at)))
    assert.deepEqual(out, lines)
  }
  fc.assert(fc.property(texts, fc.array(fc.nat(7)), holds))
})

test('a line over the limit is refused before it is whole', () => {
  const cut = createLineSplitter(10)
  assert.deepEqual(cut(Buffer.from('0123456789\n01234')), ['0123456789'])
  assert.throws(() => cut(Buffer.from('567890')), { kind: 'payload_too_large' })
})
