import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rewriteInvalidJson, rewriteJsonText } from './json-text.ts'

/** The values of a text that have the name of a field, with that name. */
function namesOf(rewriteText: typeof rewriteInvalidJson, text: string): Record<string, string> {
  const names: Record<string, string> = {}
  rewriteText(text, (value, name) => {
    if (name !== '') names[value] = name
    return value
  })
  return names
}

test('a value has the name of its field, and an item of an array that of the array', () => {
  const json = '{"a":["x",{"b":1},"y",["z"],2],"c":{"d":[{}],"e":"v"},"f":3}'
  assert.deepEqual(namesOf(rewriteJsonText, json), { x: 'a', 1: 'b', y: 'a', z: 'a', 2: 'a', v: 'e', 3: 'f' })
  assert.deepEqual(namesOf(rewriteJsonText, '[{"a":"x"},"y",1]'), { x: 'a' })
})

test('names in invalid JSON end with their object, if the brackets match', () => {
  const { x, y, z } = namesOf(rewriteInvalidJson, '{"a":["x",{"b":1},"y"],"c":"z",}')
  assert.deepEqual([x, y, z], ['a', 'a', 'c'])
  assert.equal(namesOf(rewriteInvalidJson, '}}{"a":"x"').x, 'a')
})
