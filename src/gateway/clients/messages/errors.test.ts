import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contextLengthError } from '../../plan/context-length.ts'
import { toErrorObject } from './errors.ts'

/** The message for a client whose provider refused the context. */
function messageFor(tokens: number, raw: string): string {
  const { message, details } = contextLengthError(200_000, tokens, { raw })
  return toErrorObject({ code: 400, message, metadata: details.metadata }).message
}

test('a prompt that is too long has the message of Anthropic', () => {
  assert.equal(messageFor(210_000, 'x'), 'prompt is too long: 210000 tokens > 200000 maximum')
})

test('an output limit without room beside the prompt is not a prompt too long', () => {
  const raw = 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length'
  assert.equal(messageFor(190_000, raw), raw)
  // The words by which Claude Code lowers its limit.
  assert.match(
    messageFor(190_000, 'max_tokens is too large'),
    /`max_tokens` exceed context limit: 190000 \+ 10001 > 200000/,
  )
})
