import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitSchema } from './fit-schema.ts'
import { fitToolSchema } from './tool-schema.ts'

const fit = (schema: unknown) => fitToolSchema(schema, {}, () => {})
const noRefs = { keywords: new Set(['type', 'properties', 'description', 'items']) }

test('a schema that is accepted is returned as it is', () => {
  const schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } }, required: ['a'] }
  assert.equal(fit(schema), schema)
})

test('a property that differs between the variants of a union can be any of them', () => {
  const variants = ['x', 'y'].map((kind) => ({
    type: 'object',
    properties: { kind: { const: kind }, [kind]: { type: 'string' }, n: { type: kind === 'x' ? 'number' : 'string' } },
    required: ['kind', kind],
  }))
  const { properties, required } = fit({ oneOf: variants })!
  assert.deepEqual(properties, {
    kind: { enum: ['x', 'y'] },
    x: { type: 'string' },
    y: { type: 'string' },
    n: { anyOf: [{ type: 'number' }, { type: 'string' }] },
  })
  assert.deepEqual(required, ['kind'])
})

test('all parts of an allOf are one object, at any depth', () => {
  const inner = { allOf: [{ properties: { b: {} }, required: ['b'] }, { properties: { c: {} } }] }
  const { properties, required } = fit({
    allOf: [{ $ref: '#/$defs/A' }, inner],
    $defs: { A: { properties: { a: {} } } },
  })!
  assert.deepEqual(Object.keys(properties as object).toSorted(), ['a', 'b', 'c'])
  assert.deepEqual(required, ['b'])
})

test('arguments that cannot be an object have no schema', () => {
  for (const type of ['string', 'array', ['string', 'null']]) assert.equal(fit({ type }), undefined)
  assert.equal(fit({ anyOf: [{ type: 'string' }, { type: 'number' }] }), undefined)
})

test('a variant of a union that can also be null is an object', () => {
  for (const type of [['object', 'null'], 'OBJECT', 'dict', null]) {
    const fitted = fit({ anyOf: [{ type, properties: { a: {} } }, { type: 'string' }] })
    assert.deepEqual(fitted?.properties, { a: {} }, String(type))
  }
})

test('an object that can also be null is closed like any other', () => {
  const schema = { type: ['object', 'null'], properties: { a: { type: 'string' } } }
  assert.deepEqual(
    fitSchema(schema, { closesObjects: true }, () => {}),
    { ...schema, additionalProperties: false },
  )
})

test('a closed dictionary describes the values of its properties', () => {
  const schema = { type: 'object', additionalProperties: { type: 'number' }, description: 'Prices' }
  const reported: string[] = []
  assert.deepEqual(
    fitSchema(schema, { closesObjects: true }, (keyword) => reported.push(keyword)),
    {
      type: 'object',
      properties: {},
      additionalProperties: false,
      description: 'Prices\n\n{additionalProperties: {"type":"number"}}',
    },
  )
  assert.deepEqual(reported, ['additionalProperties'])
})

test('references that double at each level are replaced within a bound', () => {
  const levels = Array.from({ length: 40 }, (_, at) => {
    const $ref = `#/$defs/l${at + 1}`
    return [`l${at}`, { type: 'object', properties: { a: { $ref }, b: { $ref } } }]
  })
  const $defs = { ...Object.fromEntries(levels), l40: { type: 'string' } }
  const dropped: string[] = []
  const fitted = fitSchema({ type: 'object', properties: { a: { $ref: '#/$defs/l0' } }, $defs }, noRefs, (keyword) =>
    dropped.push(keyword),
  )
  assert.ok(JSON.stringify(fitted).length < 100_000)
  assert.ok(dropped.includes('$ref'))
})

test('a reference that is not a valid URL is dropped', () =>
  assert.deepEqual(
    fitSchema({ $ref: '#/%E0%A4%A' }, noRefs, () => {}),
    { type: 'object' },
  ))

test('nested keywords that a provider lacks are described once', () => {
  let schema: object = { type: 'string' }
  for (let depth = 0; depth < 300; depth++) schema = { not: schema }
  assert.ok(JSON.stringify(fitSchema(schema, noRefs, () => {})).length < 20_000)
})
