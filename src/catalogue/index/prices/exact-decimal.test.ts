import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blendPrices, compareExact, parseExact } from './exact-decimal.ts'

const exact = (text: string) => parseExact(text)!

test('texts other than nonnegative decimal numbers of bounded length are refused', () => {
  for (const text of [
    '',
    '.',
    'x',
    '-1',
    '+1',
    '1,5',
    '1e',
    '0x10',
    'NaN',
    'Infinity',
    '1e9999',
    ' 1',
    '9'.repeat(101),
  ]) {
    assert.equal(parseExact(text), undefined, text)
  }
})

test('the same number is equal however it is written', () => {
  for (const [a, b] of [
    ['3', '3.000'],
    ['0.000003', '3e-6'],
    ['0', '0e5'],
    ['.5', '5e-1'],
    ['100', '1E2'],
    ['5.', '5'],
  ]) {
    assert.equal(compareExact(exact(a!), exact(b!)), 0, `${a} and ${b}`)
  }
})

test('numbers that are equal as doubles are distinguished', () => {
  assert.equal(compareExact(exact('0.1'), exact('0.1000000000000000000001')), -1)
  assert.equal(compareExact(exact('3'), exact('2.9999999999999999999')), 1)
})

test('prompt counts three times as much as completion', () => {
  assert.equal(compareExact(blendPrices(exact('1'), exact('0')), blendPrices(exact('0'), exact('3'))), 0)
  assert.equal(compareExact(blendPrices(exact('0.1'), exact('0.02')), exact('0.32')), 0)
})
