import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toDecimal, unitPrice } from './money.ts'

test('a price for a million becomes a price for one, digit for digit', () => {
  const prices: [number | string, string][] = [
    [0.07, '0.00000007'],
    [3, '0.000003'],
    [1.25, '0.00000125'],
    [15, '0.000015'],
    [1500000, '1.5'],
    [0, '0'],
    ['2.50', '0.0000025'],
    ['0.1234567890123456789', '0.0000001234567890123456789'],
  ]
  for (const [amount, price] of prices) assert.equal(unitPrice(toDecimal(amount)!), price)
})

test('rounding errors are rounded away', () => {
  const noisy: [number, string][] = [
    [0.1 + 0.2, '0.3'],
    [0.049999999999999996, '0.05'],
    [1.5999999999999999, '1.6'],
    [0.8299999999999998, '0.83'],
    [0.19999999999999998, '0.2'],
  ]
  for (const [amount, text] of noisy) assert.equal(toDecimal(amount), text)
})

test('an amount never keeps an exponent or a needless zero', () => {
  const amounts: [number | string, string][] = [
    [1e-7, '0.0000001'],
    [1e21, '1000000000000000000000'],
    ['1e3', '1000'],
    ['007.500', '7.5'],
    ['.5', '0.5'],
    ['-0', '0'],
    [-2.5, '-2.5'],
  ]
  for (const [amount, text] of amounts) assert.equal(toDecimal(amount), text)
})

test('amounts that are not finite are refused', () => {
  for (const amount of [Number.NaN, Number.POSITIVE_INFINITY, '', '.', 'free', '1,5', '0x10', '1e9999'])
    assert.equal(toDecimal(amount), undefined)
})

test('a price of very many digits is read in little time', () => {
  const startedAt = performance.now()
  const zeros = '0'.repeat(200_000)
  assert.equal(toDecimal(`${zeros}x`), undefined)
  assert.equal(toDecimal(`0.${zeros}1`), `0.${zeros}1`)
  assert.equal(toDecimal(`1.${zeros}`), '1')
  assert.ok(performance.now() - startedAt < 20_000)
})
