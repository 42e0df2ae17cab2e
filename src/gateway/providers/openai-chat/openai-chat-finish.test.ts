import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finishEvents } from './openai-chat-finish.ts'

const reasonOf = (native: string) =>
  finishEvents(native).map((event) => (event.type === 'finish' ? event.reason : event.type))

const meanings = {
  stop: [
    '<|im_end|>',
    '<|eot_id|>',
    '</s>',
    'StopReason.END',
    'natural',
    'finish',
    'endturn',
    'end-of-turn',
    'STOPPED',
    'stopSequence',
  ],
  content_filter: ['policy_violation', 'content_moderation', 'blocked', 'guardrails', 'risk'],
  tool_calls: ['function_calls', 'call_tools'],
  error: ['internal_server_error', 'server_overloaded', 'rate_limit', 'exception'],
  length: ['context_window_exceeded', 'output_limit', 'maxtokens', 'a_new_reason'],
}

for (const [meaning, natives] of Object.entries(meanings))
  test(`${natives.join(', ')} mean ${meaning}`, () => {
    for (const native of natives) assert.deepEqual(reasonOf(native), [meaning], native)
  })

test('a reason of very many spaces is read in little time', () => {
  const startedAt = performance.now()
  assert.deepEqual(reasonOf(`a${' '.repeat(500_000)}b`), ['length'])
  // Quadratic work takes over a minute.
  assert.ok(performance.now() - startedAt < 10_000)
})
