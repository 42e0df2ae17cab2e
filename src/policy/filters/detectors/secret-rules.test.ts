import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { RE2JS } from 're2js'
import { busyMs } from '#test/harness/until.ts'
import { findIssuedSecrets, secretRules } from './secret-rules.ts'

/** Invented secrets, one for each rule; reversed, so that secret scanners of repositories ignore them. */
const backwards: Record<string, string> = JSON.parse(
  readFileSync(new URL('../../../../test/filter-corpus/secret-samples.json', import.meta.url), 'utf8'),
)
const samples = new Map(Object.entries(backwards).map(([id, text]) => [id, [...text].reverse().join('')]))

for (const { id, pattern, flags = '' } of secretRules()) {
  test(`${id}: found in a sentence, not found when it is cut off or made of one letter`, () => {
    const sample = samples.get(id)!
    const [match, secret = match!] = new RegExp(pattern, flags).exec(sample.trim())!
    const found = (text: string) => findIssuedSecrets(text).map(({ start, end }) => text.slice(start, end))
    assert.ok(found(`Use ${sample.trim()} please`).some((text) => text.includes(secret) || secret.includes(text)))
    assert.deepEqual(found(`Use ${sample.replace(secret, secret.slice(0, 7))} please`), [])
    assert.deepEqual(found(`Use ${sample.replace(secret, secret.replace(/[A-Za-z0-9]/g, 'x'))} please`), [])
  })

  test(`${id}: its pattern compiles on the linear engine`, () => {
    assert.ok(RE2JS.compile(flags === 'i' ? `(?i)${pattern}` : pattern))
  })
}

test('a keyword may be a part of a name, before or after a `_`', () => {
  const value = 'k3v9xq2mt7wl5ry8nc4jh6df1gs0ap2b'
  for (const name of ['MY_ADAFRUIT_KEY', 'adafruit key', '"adafruit_io"', 'Adafruit']) {
    const text = `${name}: ${value}\n`
    assert.deepEqual(
      findIssuedSecrets(text).map(({ start, end }) => text.slice(start, end)),
      [value],
    )
  }
  assert.deepEqual(findIssuedSecrets('The Adafruit board: a-kit-of-parts-for-beginners-etc.'), [])
})

test('a megabyte of keywords takes a time linear in its length', () => {
  for (const unit of ['adafruit', 'adafruit = ', 'sk_live_', 'twitter====', 'ops_eyJ', 'new-relic . . ']) {
    const took = busyMs(() => findIssuedSecrets(unit.repeat(Math.ceil(1_048_576 / unit.length))))
    assert.ok(took < 3000, `${unit}: ${took} ms`)
  }
})
