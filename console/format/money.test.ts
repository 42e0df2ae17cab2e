import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exactMoney, money, perMillion, preciseMoney } from './money.ts'

test('precise money has six significant digits, and loses none before the point', () => {
  const texts = [0, 0.000123456789, 0.0123456789, 1.23456789, 12.3, 1234.56789, 12_345_678.912, -0.5].map(preciseMoney)
  assert.deepEqual(texts, [
    '$0',
    '$0.000123457',
    '$0.0123457',
    '$1.23457',
    '$12.30',
    '$1,234.57',
    '$12,345,678.91',
    '−$0.50',
  ])
})

test('money has two decimals from a dollar on, else significant digits', () => {
  const texts = [0, 0.00041, 0.007924, 0.016224, 0.5, 0.25, 1, 12.3, 1234.567, -0.01242, 0.000000123].map(money)
  assert.deepEqual(texts, [
    '$0',
    '$0.00041',
    '$0.00792',
    '$0.0162',
    '$0.50',
    '$0.25',
    '$1.00',
    '$12.30',
    '$1,234.57',
    '−$0.0124',
    '$0.000000123',
  ])
})

test('exactMoney keeps all digits', () => {
  assert.deepEqual([0, 0.007924, 12.3, -0.01242].map(exactMoney), ['$0.00', '$0.007924', '$12.30', '−$0.01242'])
})

test('perMillion formats a token price', () => {
  assert.deepEqual([0.000002, 0, 0.00000001, 0.0000035].map(perMillion), [
    '$2.00 / M',
    '$0.00 / M',
    '$0.01 / M',
    '$3.50 / M',
  ])
})
