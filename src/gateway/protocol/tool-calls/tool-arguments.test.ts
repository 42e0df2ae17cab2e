import assert from 'node:assert/strict'
import { test } from 'node:test'
import { argumentsOf, calledFunction, chosenFunction } from './tool-arguments.ts'

test('a custom call is one of a function with what it is given as its input', () => {
  assert.deepEqual(calledFunction({ custom: { name: 'sql', input: 'select 1' } }), {
    name: 'sql',
    args: { input: 'select 1' },
  })
  assert.deepEqual(calledFunction({ custom: { name: 'sql' } }), { name: 'sql', args: { input: '' } })
  const called = { function: { name: 'f', arguments: '{"a":1}' }, custom: { name: 'sql' } }
  assert.deepEqual(calledFunction(called), { name: 'f', args: { a: 1 } })
})

test('arguments that are none, half of them or no object are an empty object', () => {
  for (const json of [undefined, '', '{"a":', '[1]', 'null', '1']) assert.deepEqual(argumentsOf(json), {})
})

test('arguments that are nested too deep to be written out again are refused, whoever wrote them', () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
  assert.throws(() => argumentsOf(nested(20_000)), { kind: 'invalid', message: /more than 500 levels deep/ })
  assert.equal(JSON.stringify(argumentsOf(nested(400))), nested(400))
})

test('a choice that is a word insists on no function', () => {
  assert.equal(chosenFunction({ type: 'function', function: { name: 'f' } }), 'f')
  for (const choice of ['auto', null, { type: 'custom' }, undefined]) assert.equal(chosenFunction(choice), undefined)
})
