import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readVariable } from './environment.ts'

test('a variable is read without quotes and spaces, and is missing if it is empty', () => {
  for (const [text, value] of [
    [' 8080\n', '8080'],
    ['"8080"', '8080'],
    ["'a b'", 'a b'],
    ['"a', '"a'],
    [`"a'`, `"a'`],
    ['"Doe" <a@b.c>', '"Doe" <a@b.c>'],
    ['{"a":"b"}', '{"a":"b"}'],
    ['""', undefined],
    ['"', '"'],
    ['  ', undefined],
    [undefined, undefined],
  ] as const)
    assert.equal(readVariable({ A: text }, 'A'), value)
})
