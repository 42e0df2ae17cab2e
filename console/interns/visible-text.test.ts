import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeInvisible } from './visible-text.ts'

test('escapeInvisible escapes invisible and bidirectional characters', () => {
  assert.equal(
    escapeInvisible('rm\u001b[2J \u202egpj.exe\u200b\u{e0041}'),
    'rm\\x1b[2J \\u202egpj.exe\\u200b\\u{e0041}',
  )
})

test('escapeInvisible keeps line breaks, letters and existing escapes', () => {
  for (const text of ['a\n\tb', 'żółć 漢字 ❤️', '\\x1b \\n']) assert.equal(escapeInvisible(text), text)
})
