import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parsePicoUsd, toDecimalUsd, toUsd } from './pico-usd.ts'

test('every amount of whole pico-dollars survives the way through text', () => {
  fc.assert(fc.property(fc.bigInt(-(10n ** 24n), 10n ** 24n), (pico) => parsePicoUsd(toDecimalUsd(pico)) === pico))
})

test('amounts add up where doubles do not', () => {
  const sum = parsePicoUsd('0.1') + parsePicoUsd('0.2')
  assert.deepEqual([toDecimalUsd(sum), toUsd(sum)], ['0.3', 0.3])
  assert.notEqual(0.1 + 0.2, 0.3)
})

test('fractions of a pico-dollar are rounded up', () => {
  assert.equal(parsePicoUsd('0.0000000000001'), 1n)
  assert.equal(parsePicoUsd('2'), 2_000_000_000_000n)
})

test('the number equals the parsed text', () => {
  const amounts = fc.oneof(
    fc.bigInt(-(10n ** 24n), 10n ** 24n),
    fc.bigInt(-(2n ** 54n), 2n ** 54n),
    fc.bigInt(-1000n, 1000n),
  )
  fc.assert(
    fc.property(amounts, (pico) => toUsd(pico) === Number(toDecimalUsd(pico))),
    { numRuns: 2000 },
  )
})
