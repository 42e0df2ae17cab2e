import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimalUsd, picoUsd, toUsd } from './pico-usd.ts'

test('every amount of whole pico-dollars survives the way through text', () => {
  fc.assert(fc.property(fc.bigInt(-(10n ** 24n), 10n ** 24n), (pico) => picoUsd(decimalUsd(pico)) === pico))
})

test('amounts add up where doubles do not', () => {
  const sum = picoUsd('0.1') + picoUsd('0.2')
  assert.deepEqual([decimalUsd(sum), toUsd(sum)], ['0.3', 0.3])
  assert.notEqual(0.1 + 0.2, 0.3)
})

test('fractions of a pico-dollar are rounded up', () => {
  assert.equal(picoUsd('0.0000000000001'), 1n)
  assert.equal(picoUsd('2'), 2_000_000_000_000n)
})

test('the number equals the parsed text', () => {
  const amounts = fc.oneof(
    fc.bigInt(-(10n ** 24n), 10n ** 24n),
    fc.bigInt(-(2n ** 54n), 2n ** 54n),
    fc.bigInt(-1000n, 1000n),
  )
  fc.assert(
    fc.property(amounts, (pico) => toUsd(pico) === Number(decimalUsd(pico))),
    { numRuns: 2000 },
  )
})
