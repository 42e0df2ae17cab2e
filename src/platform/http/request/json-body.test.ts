import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fastify } from 'fastify'
import { runWithoutPauses } from '../../async/long-work.ts'
import { jsonReader } from './json-body.ts'

const reader = jsonReader(fastify())
const read = (text: string) => reader.readShort(text)

test('a name with escapes is the name that it is, whatever names were read before', () => {
  for (const [poison, escaped, name] of [
    ['{"role":1,"cont\\\\u0":1}', '{"role":1,"cont\\u0065nt":1}', 'content'],
    ['{"a":1,"\\\\":1}', '{"a":1,"\\u006e":1}', 'n'],
    ['{"b":1,"m\\\\u00":1}', '{"b":1,"m\\u006Fdel" :1}', 'model'],
    ['{"c":1,"^\\\\\\\\d+":1}', '{"c":1,"^\\\\d+$":1}', '^\\d+$'],
    ['{"d":1,"\\\\":1}', '{"d":1,"\\n":1}', '\n'],
  ] as const) {
    for (let times = 0; times < 3; times++) read(poison)
    assert.ok(Object.hasOwn(read(escaped) as object, name), escaped)
  }
})

test('a forbidden name is refused, however it is written', () => {
  for (const body of ['{"__proto__":1}', '{"a":{"__pr\\u006fto__":{}}}', '{"constr\\u0075ctor":{"prototype":{}}}'])
    assert.throws(() => read(body), /forbidden key/)
})

test('the position of invalid JSON is reported, also after escaped names', () => {
  assert.throws(() => read('{"\\u0061":1,\n"b":}'), /has an unexpected "}"/)
  for (const body of ['{"\\u00":1}', '{"\\u0061', '"\\u', '{"a\\u0061":1', '\\u0061":'])
    assert.throws(() => read(body), /is not valid JSON/)
})

test('selected fields of short and long bodies keep all digits of their numbers', () => {
  const body = `\ufeff{"a":"\\u0061","list":[{"args":{"id":12345678901234567890}},{"args":{"id":1}}]}`
  const isArgs = (name: string) => name === 'args'
  const expected = { a: 'a', list: [{ args: '{"id":12345678901234567890}' }, { args: { id: 1 } }] }
  assert.deepEqual(reader.readShort(body, isArgs), expected)
  assert.deepEqual(runWithoutPauses(reader.readLong(body.slice(1), {}, isArgs)).value, expected)
  const forbidden = '{"args":{"id":12345678901234567890},"__proto__":1}'
  assert.throws(() => reader.readShort(forbidden, isArgs), /forbidden key/)
})
