import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GenerationContent } from '../../api/types.ts'
import { promptMessages, responseMessage } from './content-messages.ts'

const contentOf = (messages: unknown[], output: Partial<GenerationContent['output']> = {}): GenerationContent => ({
  input: { messages },
  output: { completion: null, reasoning: null, tool_calls: [], ...output },
  error: null,
  truncated: false,
})

test('promptMessages returns text and tool calls', () => {
  const parts = [
    { type: 'text', text: 'Look:' },
    { type: 'image_url', image_url: {} },
  ]
  const call = { id: 'c', function: { name: 'find', arguments: '{"q":1}' } }
  assert.deepEqual(
    promptMessages(
      contentOf([
        { role: 'user', content: parts },
        { role: 'assistant', content: null, tool_calls: [call] },
      ]),
    ),
    [
      { role: 'user', text: 'Look:\n[image_url]', calls: [] },
      { role: 'assistant', text: '', calls: [{ name: 'find', input: '{\n  "q": 1\n}' }] },
    ],
  )
})

test('promptMessages tolerates malformed messages', () => {
  for (const odd of [
    null,
    'text',
    7,
    { role: 3, content: { a: 1 }, tool_calls: [null, 'x'] },
    { content: [null, 3] },
  ]) {
    assert.equal(promptMessages(contentOf([odd])).length, 1)
  }
})

test('answerMessage handles text, calls and empty responses', () => {
  assert.equal(responseMessage(contentOf([])), undefined)
  assert.equal(responseMessage(contentOf([], { completion: 'Yes.' }))?.text, 'Yes.')
  const calls = responseMessage(
    contentOf([], { tool_calls: [{ id: 'c', name: 'find', arguments: 'not json' }] }),
  )?.calls
  assert.deepEqual(calls, [{ name: 'find', input: 'not json' }])
})
