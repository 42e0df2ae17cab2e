import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BytePositions } from './byte-positions.ts'

const letters = fc.string({ unit: fc.constantFrom('a', 'é', '京', '🚂'), maxLength: 3000 })

test('a place counted in bytes is found as if the text were looked at as a whole', () => {
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 8 }), fc.integer({ min: -5, max: 60_000 }), (pieces, bytes) => {
      const places = new BytePositions()
      for (const piece of pieces) places.add(piece)
      const whole = Buffer.from(pieces.join(''))
      const expected = whole.subarray(0, Math.max(0, bytes)).toString('utf8').length
      assert.equal(places.unitsIn(bytes), expected)
    }),
  )
})

test('a character whose halves come apart is one all the same', () => {
  const places = new BytePositions()
  for (const piece of ['a'.repeat(4095), '🚂'[0]!, '🚂'[1]!, 'b']) places.add(piece)
  assert.equal(places.unitsIn(4095 + 4), 4097)
})
