import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busyMs } from '#test/harness/until.ts'
import { fold } from './fold.ts'

/** One invisible character of each kind; the last ones have two UTF-16 units. */
const invisible = [
  0x00, 0x01, 0x08, 0x0b, 0x0c, 0x0e, 0x1f, 0x7f, 0x9f, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180f,
  0x200b, 0x202e, 0x2064, 0x206f, 0x2800, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0x1bca0, 0x1d173,
  0xe0001, 0xe0020, 0xe007f, 0xe0100, 0xe01ef,
].map((code) => String.fromCodePoint(code))

test('invisible characters are ignored, and findings have original positions', () => {
  for (const hidden of invisible) {
    const text = `${hidden}to ja${hidden}${hidden}ne😀${hidden}!`
    const { text: seen, restore } = fold(text)
    assert.equal(seen, 'to jane😀!', `U+${hidden.codePointAt(0)!.toString(16)}`)
    const [found] = restore([{ start: 3, end: 9 }])
    assert.equal(text.slice(found!.start, found!.end), `ja${hidden}${hidden}ne😀`)
  }
})

test('characters without glyphs are ignored', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    if (/\p{Default_Ignorable_Code_Point}/u.test(character)) assert.equal(fold(`a${character}b`).text, 'ab')
  }
})

test('line breaks and tabs stay, and so do characters that begin like invisible ones', () => {
  for (const text of ['a\tb\nc\r\nd\u0085e', '𝄞 \ud834', '\u{1bc00}']) assert.equal(fold(text).text, text)
})

test('folding takes time linear in the ignored characters', () => {
  const hidden = '\u{e0020}x'.repeat(350_000)
  assert.ok(busyMs(() => assert.equal(fold(hidden).text.length, 350_000)) < 1000)
})

test('digits of every script are digits, and findings have original positions', () => {
  for (let code = 0x80; code <= 0x1ffff; code++) {
    const digit = String.fromCodePoint(code)
    if (!/\p{Nd}/u.test(digit)) continue
    const { text, restore } = fold(`a${digit}${digit}b`)
    assert.match(text, /^a(\d)\1b$/, `U+${code.toString(16)}`)
    const compatible = digit.normalize('NFKC')
    if (compatible !== digit) assert.equal(text[1], compatible)
    assert.deepEqual(restore([{ start: 1, end: 3 }]), [{ start: 1, end: 1 + 2 * digit.length }])
  }
})

test('mathematical letters are letters; emoji and other pairs stay', () => {
  assert.equal(fold('𝐣𝐚𝐧𝐞@𝕖𝕩𝕒𝕞𝕡𝕝𝕖.com').text, 'jane@example.com')
  for (const text of ['🤖 𝄞 x', '🪿🥦', 'αβγ 漢字']) assert.equal(fold(text).text, text)
})
