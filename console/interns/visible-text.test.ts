import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeInvisible } from './visible-text.ts'

test('characters that are not seen, or turn text around, are shown as escapes', () => {
  assert.equal(
    escapeInvisible('rm\u001b[2J \u202egpj.exe\u200b\u{e0041}'),
    'rm\\x1b[2J \\u202egpj.exe\\u200b\\u{e0041}',
  )
})

test('line breaks, tabs, letters of all languages, and escapes that are there already stay', () => {
  for (const text of ['a\n\tb', 'żółć 漢字 ❤️', '\\x1b \\n']) assert.equal(escapeInvisible(text), text)
})
