import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escapeControls, escapeUnambiguously, printable, printableLine } from './printable.ts'

const acting = [
  ...['\x1b[2K', '\x1b]52;c;cm0gLXJm\x07', '\b', '\r', '\0', '\x7f', '\x9b2J', '\u00ad', '\u061c', '\u2028', '\u2029'],
  ...Array.from({ length: 5 }, (_, n) => String.fromCharCode(0x200b + n)),
  ...Array.from({ length: 5 }, (_, n) => String.fromCharCode(0x202a + n)),
  ...Array.from({ length: 4 }, (_, n) => String.fromCharCode(0x2066 + n)),
  ...['\ufeff', '\u{e0041}', '\ud800', '\u3164'],
]
/** Only plain letters, marks, numbers, signs, line breaks and tabs. */
const unsafe = /[\0-\x08\x0b-\x1f\x7f-\x9f]|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}/u

test('terminal control characters are escaped, and all others are unchanged', () => {
  for (const text of acting) {
    for (const form of [printable, printableLine, escapeUnambiguously]) {
      assert.doesNotMatch(form(`a${text}b`), unsafe, JSON.stringify(text))
      assert.notEqual(form(`a${text}b`), `a${text}b`)
    }
  }
  assert.equal(printable('a\x1b[2K\u202eb\u{e0041}'), 'a\\x1b[2K\\u202eb\\u{e0041}')
  for (const plain of ['Grüße, 東京! 🚂 ⚠️\n\tשלום العربية', 'C:\\new', '']) assert.equal(printable(plain), plain)
})

test('a line break and unusual spaces are made visible in text to approve', () => {
  assert.equal(escapeUnambiguously('ls\n\n\nrm\t-r\u00a0x'), 'ls\\n\\n\\nrm\\t-r\\xa0x')
  assert.equal(escapeUnambiguously('rm\u2800x\u{1d159}'), 'rm\\u2800x\\u{1d159}')
  assert.equal(escapeUnambiguously('grep "a.b" \\. | cat'), 'grep "a.b" \\. | cat')
  assert.equal(printableLine('ls\nrm\\n'), 'ls\\nrm\\n')
})

test('no two different texts look the same in the exact form', () => {
  const unit = fc.constantFrom(
    '\\',
    'n',
    'x',
    'u',
    'r',
    't',
    '\n',
    '\t',
    '\r',
    '\x1b',
    '1',
    'b',
    ' ',
    '\u202e',
    '{',
    '\xa0',
  )
  const pair = fc.tuple(fc.string({ unit, maxLength: 6 }), fc.string({ unit, maxLength: 6 }))
  const result = new Map<string, string>()
  const holds = (text: string) => {
    const form = escapeUnambiguously(text)
    assert.doesNotMatch(form, /\n/)
    assert.equal(result.get(form) ?? text, text)
    result.set(form, text)
  }
  fc.assert(
    fc.property(pair, (texts) => texts.forEach(holds)),
    { numRuns: 20_000 },
  )
})

test('printed output keeps its meaning, and the same value as JSON', () => {
  const value = { name: 'a\x1b[2J\x9b\x7f\u202e\u00e9', lines: 'x\r\n\ty' }
  const printed = escapeControls(JSON.stringify(value))
  assert.deepEqual(JSON.parse(printed), value)
  assert.doesNotMatch(printed, /[\x00-\x1f\x7f-\x9f]/)
  assert.equal(escapeControls('a,b\r\nc\td\n'), 'a,b\r\nc\td\n')
  assert.equal(escapeControls('10 %\rpwned'), '10 %\\u000dpwned')
})
