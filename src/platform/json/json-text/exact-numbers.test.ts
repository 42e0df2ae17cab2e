import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExactly } from './exact-numbers.ts'

test('numbers with many digits are written again as they were', () => {
  for (const json of [
    '{"id":12345678901234567890,"list":[-9007199254740993,1.5,0.12345678901234567890]}',
    '{"id":9007199254740991,"text":"12345678901234567890"}',
    '[true,null,"a"]',
  ])
    assert.equal(JSON.stringify(parseExactly(json)), json)
})

test('other numbers, and a number alone, are numbers', () => {
  const parsed = parseExactly('{"a":1.0,"b":1234567890123456,"c":12345678901234567890}')
  assert.partialDeepStrictEqual(parsed, { a: 1, b: 1_234_567_890_123_456 })
  assert.equal(parseExactly('12345678901234567890'), Number('12345678901234567890'))
})

test('invalid JSON is an error', () => {
  assert.throws(() => parseExactly('{"id":12345678901234567890'), SyntaxError)
})
