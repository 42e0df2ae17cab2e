import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeNumber } from './whole-number.ts'

test('a whole number is written in digits, within its bounds', () => {
  const taken = ['', ' ', '0x1', '1e1', '1.0', '-1', '0', '7', '100', '101'].filter(
    (text) => wholeNumber({ min: 0, max: 100 }).safeParse(text).success,
  )
  assert.deepEqual(taken, ['0', '7', '100'])
})

test('a refusal names the bounds once', () => {
  for (const text of ['1000', '0', 'x', '1.5', '', '99999999999999999999']) {
    const { error } = wholeNumber({ min: 1, max: 100 }).safeParse(text)
    assert.deepEqual(
      error?.issues.map(({ message }) => message),
      ['must be a whole number from 1 to 100'],
      text,
    )
  }
})
