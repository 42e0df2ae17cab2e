import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExactly, parseWithExactFields, toTextOfExactFields } from './exact-numbers.ts'

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

const isArgs = (name: string) => name === 'args'

test('numbers are exact in the selected fields alone', () => {
  const json = '{"args":{"id":[12345678901234567890]},"n":[12345678901234567890],"seed":9007199254740993}'
  const parsed = parseWithExactFields(json, isArgs) as { n: number[]; seed: number }
  assert.deepEqual([parsed.n, parsed.seed], [[Number('12345678901234567890')], 9_007_199_254_740_992])
  assert.ok(JSON.stringify(parsed).startsWith('{"args":{"id":[12345678901234567890]}'))
})

test('selected fields with exact numbers become text, and no others', () => {
  const parsed = parseExactly('[{"args":{"id":0.12345678901234567891}},{"args":{"id":1,"t":"12345678901234567890"}}]')
  assert.deepEqual(toTextOfExactFields(parsed, isArgs), [
    { args: '{"id":0.12345678901234567891}' },
    { args: { id: 1, t: '12345678901234567890' } },
  ])
})
