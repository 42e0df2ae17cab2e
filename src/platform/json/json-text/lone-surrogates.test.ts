import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { replaceLoneSurrogates } from './lone-surrogates.ts'

test('half of a surrogate pair is replaced, and whole pairs and other escapes stay', () => {
  for (const [json, replaced] of [
    [String.raw`"a\ud83d"`, String.raw`"a\ufffd"`],
    [String.raw`"\uDE00 \ud83d\ude00"`, String.raw`"\ufffd \ud83d\ude00"`],
    [String.raw`"\ud83d\ud83d\ude00"`, String.raw`"\ufffd\ud83d\ude00"`],
    [String.raw`"\\ud83d \n\u00e9"`, String.raw`"\\ud83d \n\u00e9"`],
    [String.raw`"\\ud83d\ude00"`, String.raw`"\\ud83d\ufffd"`],
    [String.raw`"\\\ud83d"`, String.raw`"\\\ufffd"`],
  ] as const)
    assert.equal(replaceLoneSurrogates(json), replaced)
})

test('the JSON of any text becomes that of the well-formed text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, cut) => {
      const half = text.slice(0, cut % (text.length + 1))
      const escaped = JSON.stringify(half).replace(
        /[^ -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
      assert.equal(JSON.parse(replaceLoneSurrogates(escaped)), half.toWellFormed())
    }),
  )
})

test('a million backslashes before half a pair take linear time', () => {
  const backslashes = '\\'.repeat(1_000_000)
  assert.equal(replaceLoneSurrogates(`"${backslashes}ud83d"`), `"${backslashes}ud83d"`)
  assert.equal(replaceLoneSurrogates(`"${backslashes}\\ud83d"`), `"${backslashes}\\ufffd"`)
})
