import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repairJsonSyntax } from './repair-json-syntax.ts'

test('numbers and words that JSON lacks become null, outside of strings', () => {
  const text = '{"a":NaN,"b":[-Infinity,inf,None,undefined],"NaN":"Infinity, \\"NaN","c":-NaN}'
  assert.deepEqual(JSON.parse(repairJsonSyntax(text)!), {
    a: null,
    b: [null, null, null, null],
    NaN: 'Infinity, "NaN',
    c: null,
  })
})

test('words of Python and commas before a closing bracket are replaced', () => {
  assert.equal(repairJsonSyntax('{"a":[True,False,],"b":",]",}'), '{"a":[true,false],"b":",]"}')
})

test('control characters and wrong escapes in strings get valid escapes', () => {
  const repaired = repairJsonSyntax('{"a":"x\ty\\d\\\'\\\\","b":"\\u0041\n"}')!
  assert.deepEqual(JSON.parse(repaired), { a: "x\ty\\d'\\", b: 'A\n' })
})

test('truncated JSON is not completed', () => {
  for (const text of ['{"a":"b', '{"a":[1,2', '{"a":1,', '{"a":tru', '{"a":"{\\"b\\": 1', '{"a":"x\\'])
    assert.equal(repairJsonSyntax(text), undefined, text)
})

test('valid JSON and text that is invalid in another way give undefined', () => {
  for (const text of ['{"a":"NaN"}', '', '{"a":', '<html>', "{'a':1}", '{"a":"\\u00"}'])
    assert.equal(repairJsonSyntax(text), undefined, text)
})
