import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonParseQuota } from '#platform/json/json-text/json-parse-quota.ts'
import { parseArguments, readCalledFunction, readChosenFunction } from './tool-arguments.ts'

const quota = new JsonParseQuota()

test('a custom call becomes a function call with the argument input', () => {
  assert.deepEqual(readCalledFunction({ custom: { name: 'sql', input: 'select 1' } }, quota), {
    name: 'sql',
    args: { input: 'select 1' },
  })
  assert.deepEqual(readCalledFunction({ custom: { name: 'sql' } }, quota), { name: 'sql', args: { input: '' } })
  const called = { function: { name: 'f', arguments: '{"a":1}' }, custom: { name: 'sql' } }
  assert.deepEqual(readCalledFunction(called, quota), { name: 'f', args: { a: 1 } })
})

test('missing or invalid arguments become an empty object', () => {
  for (const json of [undefined, '', '{"a":', '[1]', 'null', '1']) assert.deepEqual(parseArguments(json, quota), {})
})

test('arguments keep the digits of large numbers', () => {
  const json = '{"id":12345678901234567890,"ids":[-9007199254740993]}'
  assert.equal(JSON.stringify(parseArguments(json, quota)), json)
})

test('deeply nested arguments are refused', () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
  assert.throws(() => parseArguments(nested(20_000), quota), {
    kind: 'invalid',
    message: /more than 500 levels deep/,
  })
  assert.equal(JSON.stringify(parseArguments(nested(400), quota)), nested(400))
})

test('a tool choice that is a string names no function', () => {
  assert.equal(readChosenFunction({ type: 'function', function: { name: 'f' } }), 'f')
  for (const choice of ['auto', null, { type: 'custom' }, undefined])
    assert.equal(readChosenFunction(choice), undefined)
})
