import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removeEscapes, withPositions } from './remove-escapes.ts'

const plain = (text: string) => removeEscapes(withPositions(text))?.text

test('all forms of escapes are removed', () => {
  for (const escaped of ['%41', '\\u0041', '\\u{41}', '\\x41', '&#x41;', '&#65;', '&#65']) {
    assert.equal(plain(`-${escaped}-`), '-A-', escaped)
  }
  assert.equal(plain('\\"\\/\\\\'), '"/\\')
})

test('all named entities of ASCII characters are known', () => {
  const names =
    'amp& lt< gt> quot" apos\' sol/ plus+ equals= lowbar_ period. colon: semi; comma, num# hyphen- dash- excl! commat@ dollar$ percnt% ast* lpar( rpar) quest? bsol\\ hat^ tilde~ vert| grave`'
  for (const [, name, sign] of names.matchAll(/([a-z]+)(\S)/g)) assert.equal(plain(`&${name};`), sign!, name!)
  assert.equal(plain('&AMP;'), '&')
})

test('other text stays, and a text without escapes gives undefined', () => {
  for (const text of ['plain', '%zz', '&unknown;', '%e4', '\\u00e4']) assert.equal(plain(text), undefined, text)
  assert.equal(plain('%e4%41'), '%e4A')
})

test('each character has its original position', () => {
  const { text, starts } = removeEscapes(withPositions('a%41b'))!
  assert.deepEqual([text, starts], ['aAb', [0, 1, 4, 5]])
  assert.deepEqual(removeEscapes({ text: '%41', starts: [7, 8, 9, 12] })?.starts, [7, 12])
})
