import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenCall } from './open-call.ts'

function inputOf(json: string): object {
  const call = new OpenCall({ type: 'tool_call', index: 0, id: 'a', name: 'read' })
  call.add(json)
  call.close(false)
  return call.block.input
}

test('arguments with wrong escapes, trailing commas and odd numbers are repaired', () => {
  assert.deepEqual(inputOf('{"path":"a\\d",}'), { path: 'a\\d' })
  assert.deepEqual(inputOf('{"size":NaN}'), { size: null })
})

test('arguments keep the digits of large numbers', () => {
  assert.equal(JSON.stringify(inputOf('{"id":12345678901234567890}')), '{"id":12345678901234567890}')
})

test('arguments that are not an object are an error', () => {
  for (const json of ['5', "{'path':'a'}", '{"path"']) assert.throws(() => inputOf(json), /not a JSON object/)
})
