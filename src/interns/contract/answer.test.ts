import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busyMs } from '#test/harness/until.ts'
import { readFormAnswer, readPermissionAnswer } from './answer.ts'
import type { FormField } from './form.ts'

const refuses = (act: () => unknown, message: RegExp) =>
  assert.throws(act, { name: 'Refusal', kind: 'bad_request', message })
const accept = (content: unknown) => JSON.stringify({ action: 'accept', content })
const field = (type: FormField['type'], more: Partial<FormField> = {}): FormField => ({
  name: 'it',
  type,
  required: true,
  ...more,
})
const readValue = (one: FormField, value: unknown) => readFormAnswer([one], accept({ it: value }))

test('an answer to a permission is an offered option or "cancel"', () => {
  assert.deepEqual(readPermissionAnswer({ options: ['allow_once', 'reject_once'] }, 'reject_once'), {
    answer: 'reject_once',
  })
  assert.deepEqual(readPermissionAnswer({ options: [] }, 'cancel'), { answer: 'cancel' })
})

test('an answer with an unknown option is refused, with the valid ones', () => {
  const offered = /"allow_always" was not offered. Answer with one of: allow_once, cancel\.$/
  refuses(() => readPermissionAnswer({ options: ['allow_once'] }, 'allow_always'), offered)
  for (const answer of ['', 'yes', 'Allow_once', '{"action":"accept"}']) {
    refuses(() => readPermissionAnswer({ options: ['allow_once'] }, answer), /not one of the options/)
  }
})

test('declining or cancelling a form ignores the content', () => {
  assert.deepEqual(readFormAnswer([field('string')], '{"action":"decline"}'), { action: 'decline' })
  assert.deepEqual(readFormAnswer([field('string')], '{"action":"cancel","content":7}'), { action: 'cancel' })
})

test('an invalid answer to a form is refused', () => {
  for (const answer of ['', 'Berlin', '[]', 'null', '"accept"', '{"action"']) {
    refuses(() => readFormAnswer([], answer), /is a JSON object/)
  }
  for (const answer of ['{}', '{"action":"yes"}']) refuses(() => readFormAnswer([], answer), /"action"/)
  refuses(() => readFormAnswer([], accept([])), /"content"/)
})

test('a refused answer to a form names the missing or unknown field', () => {
  refuses(() => readFormAnswer([field('string')], accept({})), /: it is required\.$/)
  refuses(() => readFormAnswer([field('string')], '{"action":"accept"}'), /: it is required\.$/)
  refuses(() => readFormAnswer([field('string', { required: false })], accept({ other: 1 })), /"other" is not a field/)
})

test('an optional field can be omitted or null', () => {
  const optional = field('string', { required: false })
  for (const content of [{}, { it: null }]) {
    assert.deepEqual(readFormAnswer([optional], accept(content)), { action: 'accept', content: {} })
  }
})

const choices = field('array', { options: ['a', 'b', 'c'], minItems: 1, maxItems: 2 })
const rows: [FormField, good: unknown[], bad: unknown[]][] = [
  [field('string'), ['', 'Berlin', '👍'], [1, true, {}, []]],
  [field('string', { minLength: 2, maxLength: 3 }), ['ab', '👍👍👍'], ['a', 'abcd']],
  [field('string', { pattern: '^[a-z]+$' }), ['abc'], ['ABC', '']],
  [field('string', { format: 'date' }), ['2026-02-28'], ['2026-02-30', 'today']],
  [field('string', { format: 'date-time' }), ['2026-02-28T10:00:00Z'], ['2026-02-28', 'now']],
  [field('string', { format: 'email' }), ['a@b.c'], ['a', '@']],
  [field('string', { format: 'uri' }), ['https://a.b/c'], ['a b']],
  [field('string', { format: 'unheard-of' }), ['anything'], [1]],
  [field('number', { minimum: 0, maximum: 1 }), [0, 0.5, 1], [-0.1, 1.1, '1', []]],
  [field('integer'), [0, -3, 1e3], [0.5, '1', 1e300]],
  [field('boolean'), [true, false], ['true', 0]],
  [field('string', { options: ['a', 'b'] }), ['a', 'b'], ['c', ['a'], 1]],
  [choices, [['a'], ['a', 'c']], [[], ['a', 'a'], ['d'], 'a', ['a', 'b', 'c']]],
]
for (const [one, good, bad] of rows) {
  test(`a field ${JSON.stringify(one)} accepts valid values only`, () => {
    for (const value of good) assert.deepEqual(readValue(one, value), { action: 'accept', content: { it: value } })
    for (const value of bad) refuses(() => readValue(one, value), /does not fit the question: it /)
  })
}

test('an answer to a permission must equal an option exactly', () => {
  for (const word of [' allow_once', 'allow_once\n', 'cancel ', 'Allow_once', ''])
    refuses(() => readPermissionAnswer({ options: ['allow_once'] }, word), /Answer with one of: allow_once, cancel/)
})

test('a pattern that blocks a backtracking engine is checked within a second', () => {
  const blocking = field('string', { pattern: '^(a+)+$' })
  assert.ok(busyMs(() => refuses(() => readValue(blocking, `${'a'.repeat(5000)}!`), /must match/)) < 1000)
})

test('a pattern that the linear-time engine does not support is left to the agent', () => {
  assert.deepEqual(readValue(field('string', { pattern: '(?=a)a' }), 'b'), { action: 'accept', content: { it: 'b' } })
})

test('a field can be named __proto__', () => {
  const answer = '{"action":"accept","content":{"__proto__":"x"}}'
  const read = readFormAnswer([field('string', { name: '__proto__' })], answer)
  assert.ok(read.action === 'accept' && Object.hasOwn(read.content, '__proto__'))
})
