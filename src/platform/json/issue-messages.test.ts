import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from './schema.ts'

const messageOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error!.issues[0]!.message

test('a bound is named in words', () => {
  for (const [schema, value, message] of [
    [z.number().min(1), 0, 'must be at least 1'],
    [z.number().gt(0), 0, 'must be greater than 0'],
    [z.number().max(65535), 70000, 'must be at most 65535'],
    [z.number().lt(1), 1, 'must be less than 1'],
    [z.number().int(), 0.5, 'must be a whole number'],
    [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().min(2), 'a', 'must have at least 2 characters'],
    [z.string().max(1), 'ab', 'must have at most 1 character'],
    [z.string().length(3), 'ab', 'must have exactly 3 characters'],
    [z.array(z.string()).min(1), [], 'must have at least 1 item'],
    [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 items'],
  ] as const)
    assert.equal(messageOf(schema, value), message)
})

test('allowed values, formats and objects are named in words', () => {
  assert.equal(messageOf(z.enum(['daily', 'weekly']), 'hourly'), 'must be one of "daily", "weekly"')
  assert.equal(messageOf(z.literal('text'), 'image'), 'must be "text"')
  assert.equal(messageOf(z.literal([1, null]), 2), 'must be one of 1, null')
  assert.equal(messageOf(z.uuid(), 'x'), 'must be a UUID')
  assert.equal(messageOf(z.email(), 'x'), 'must be an email address')
  assert.equal(messageOf(z.string().regex(/^a/), 'x'), 'must match the pattern /^a/')
  assert.equal(messageOf(z.record(z.string(), z.string()), 'x'), 'expected object, received string')
  assert.equal(
    messageOf(z.record(z.string().min(1), z.string()), { '': 'x' }),
    'has an invalid name: must not be empty',
  )
})

test('a missing value and a wrong type are named in words', () => {
  assert.equal(messageOf(z.string(), undefined), 'is missing: expected string')
  assert.equal(messageOf(z.string(), 1), 'expected string, received number')
  for (const text of ['x', 'Infinity']) assert.equal(messageOf(z.coerce.number(), text), 'must be a number')
})

test('a message in the declaration takes precedence', () => {
  assert.equal(messageOf(z.string().min(1, 'is needed'), ''), 'is needed')
})
