import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from '../../json/schema.ts'
import { strictFields } from '../../json/strict-fields.ts'
import { invalidRequest } from './issues.ts'

const messageOf = (schema: z.ZodType, value: unknown) => invalidRequest(schema.safeParse(value).error!.issues).message

test('missing fields are reported as missing, wrong types with their type', () => {
  const body = z.object({ messages: z.array(z.object({ role: z.string() })), n: z.number().optional() })
  assert.equal(messageOf(body, {}), 'Invalid request: messages: is missing: expected array')
  assert.equal(messageOf(body, { messages: [{}] }), 'Invalid request: messages[0].role: is missing: expected string')
  assert.equal(messageOf(body, { messages: 'hi' }), 'Invalid request: messages: expected array, received string')
  assert.equal(messageOf(body, { messages: null }), 'Invalid request: messages: expected array, received null')
  assert.equal(
    messageOf(z.object({ most: z.coerce.number() }), { most: 'x' }),
    'Invalid request: most: must be a number',
  )
})

test('a body that is not an object is named, a field of that type by its path', () => {
  const body = z.object({ id: z.object({}).optional() })
  for (const value of [null, undefined, [], 'x', 1, true])
    assert.equal(messageOf(body, value), 'Invalid request: the body must be a JSON object')
  const command = strictFields({}, 'the body must be empty or {}')
  assert.equal(messageOf(command, []), 'Invalid request: the body must be empty or {}')
  assert.equal(messageOf(body, { id: 1 }), 'Invalid request: id: expected object, received number')
})
