import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readElicitation } from './elicitation.ts'

const form = (properties: object, more: object = {}) => ({
  mode: 'form',
  message: 'Answer me',
  requestedSchema: { type: 'object', properties, ...more },
})

test('every kind of field has a descriptor with its constraints', () => {
  const request = form(
    {
      s: { type: 'string', minLength: 1, maxLength: 9, pattern: '^a', format: 'email' },
      n: { type: 'number', minimum: 0.5, maximum: 2 },
      i: { type: 'integer' },
      b: { type: 'boolean' },
      e: { type: 'string', enum: ['x', 'y'] },
      a: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, minItems: 1, maxItems: 2 },
    },
    { required: ['s', 'b'] },
  )
  assert.deepEqual(readElicitation(request)?.fields, [
    { name: 's', required: true, type: 'string', minLength: 1, maxLength: 9, pattern: '^a', format: 'email' },
    { name: 'n', required: false, type: 'number', minimum: 0.5, maximum: 2 },
    { name: 'i', required: false, type: 'integer' },
    { name: 'b', required: true, type: 'boolean' },
    { name: 'e', required: false, type: 'string', options: ['x', 'y'] },
    { name: 'a', required: false, type: 'array', options: ['x', 'y'], minItems: 1, maxItems: 2 },
  ])
})

test('titled options are offered by value, with their titles', () => {
  const oneOf = [
    { const: 'eu', title: 'Europe', description: 'slower' },
    { const: 'us', title: 'us' },
  ]
  const read = readElicitation(form({ region: { type: 'string', title: 'Region', oneOf } }))
  assert.deepEqual(read?.fields[0]?.options, ['eu', 'us'])
  assert.deepEqual(Object.keys(read?.fields[0] ?? {}), ['name', 'required', 'type', 'options'])
  assert.equal(read?.message, 'Answer me\n\n- region: Region; eu = Europe (slower)')
})

test('titled choices of an array are read the same', () => {
  const anyOf = [{ const: 'a', title: 'First' }]
  const read = readElicitation(form({ many: { type: 'array', items: { anyOf }, default: ['a'] } }))
  assert.deepEqual(read?.fields[0]?.options, ['a'])
  assert.equal(read?.message, 'Answer me\n\n- many: a = First; default ["a"]')
})

test('descriptions of options are shown wherever the schema lists the options', () => {
  const options = [{ const: 'a', title: 'First', description: 'slower' }]
  for (const field of [
    { type: 'string', anyOf: options },
    { type: 'array', items: { oneOf: options } },
  ])
    assert.equal(readElicitation(form({ choice: field }))?.message, 'Answer me\n\n- choice: a = First (slower)')
})

test('a field of an unknown type is omitted unless it is required', () => {
  const request = { future: { type: 'colour' }, list: { type: 'array', items: { type: 'number' } } }
  assert.deepEqual(readElicitation(form(request))?.fields, [])
  assert.equal(readElicitation(form(request, { required: ['future'] })), undefined)
})

test('a link to visit is a question without fields', () => {
  const request = { mode: 'url', message: 'Sign in', elicitationId: 'e', url: 'https://example.com/in' }
  const message = 'Sign in\n\nOpen https://example.com/in and accept when you are done.'
  assert.deepEqual(readElicitation(request), { message, fields: [] })
})

test('a form without fields is hardly a question', () => {
  for (const request of [{}, { message: ' ' }, { requestedSchema: { properties: null } }, null]) {
    assert.deepEqual(readElicitation(request), { message: 'The intern asks for an answer.', fields: [] })
  }
})

for (const [what, property, expected] of [
  ['options without a type', { enum: ['x', 'y'] }, { type: 'string', options: ['x', 'y'] }],
  ['a type that includes null', { type: ['null', 'integer'] }, { type: 'integer' }],
  ['null as a variant', { anyOf: [{ type: 'boolean' }, { type: 'null' }] }, { type: 'boolean' }],
  ['an empty list of options', { type: 'string', enum: [] }, { type: 'string' }],
] as const)
  test(`a field with ${what} is read as ${JSON.stringify(expected)}`, () => {
    const read = readElicitation(form({ field: property }, { required: ['field'] }))
    assert.deepEqual(read?.fields, [{ name: 'field', required: true, ...expected }])
  })

test('titles of options beside the options are shown', () => {
  const read = readElicitation(form({ size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] } }))
  assert.deepEqual(read?.fields[0]?.options, ['s', 'l'])
  assert.equal(read?.message, 'Answer me\n\n- size: s = Small, l = Large')
})

test('a question in an unknown mode is not a form', () => {
  assert.equal(readElicitation({ mode: 'of_the_future', message: 'Scan this code' }), undefined)
})
