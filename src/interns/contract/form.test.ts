import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkValue, type FormField } from './form.ts'

const field = (type: FormField['type'], more: object = {}) =>
  ({ name: 'n', type, required: true, ...more }) as FormField

test('a number is refused in the words of its type, and by its bounds', () => {
  for (const [type, value, why] of [
    ['number', '1', /must be a number/],
    ['integer', '1', /must be an integer/],
    ['integer', 1.5, /must be an integer/],
    ['number', 0.5, /must be at least 1/],
    ['number', 9.5, /must be at most 9/],
  ] as const)
    assert.throws(() => checkValue(field(type, { minimum: 1, maximum: 9 }), value), why)
  assert.equal(checkValue(field('number', { minimum: 1, maximum: 9 }), 1.5), 1.5)
  assert.equal(checkValue(field('integer', { minimum: 1, maximum: 9 }), 9), 9)
})

test('an unknown format, such as __proto__, accepts every text', () => {
  for (const format of ['of_the_future', '__proto__', 'constructor'])
    assert.equal(checkValue(field('string', { format }), 'x'), 'x')
})
