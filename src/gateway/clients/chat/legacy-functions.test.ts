import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { writeCompletion } from './completion.ts'
import { createChatWriter } from './writer.ts'

const request = { functions: [{ name: 'read' }] }
const head = { id: 'gen-1', model: 'a/b', createdSeconds: 0, request }
const events: CompletionEvent[] = [
  { type: 'tool_call', index: 0, id: 'c1', name: 'read' },
  { type: 'tool_arguments', index: 0, text: '{"path":' },
  { type: 'tool_arguments', index: 0, text: '"a"}' },
  { type: 'finish', reason: 'tool_calls', native: 'tool_use' },
]

test('a client that sends functions gets a translated call in function_call', () => {
  const { choices } = writeCompletion(head, events, undefined) as any
  assert.deepEqual(choices[0].message.function_call, { name: 'read', arguments: '{"path":"a"}' })
  assert.deepEqual([choices[0].message.tool_calls, choices[0].finish_reason], [undefined, 'function_call'])
})

test('a client that sends functions gets a translated streamed call in function_call', () => {
  const writer = createChatWriter(head, { includeUsage: false })
  const chunks = events.map((event) => JSON.parse(writer.event(event).split('data: ').at(-1)!))
  const calls = chunks.map(({ choices }) => choices[0].delta.function_call)
  assert.deepEqual(calls, [
    { name: 'read', arguments: '' },
    { arguments: '{"path":' },
    { arguments: '"a"}' },
    undefined,
  ])
  assert.equal(chunks.at(-1).choices[0].finish_reason, 'function_call')
})

test('a client that sends functions and tools gets tool calls', () => {
  const both = { ...head, request: { ...request, tools: [{ type: 'function', function: { name: 'read' } }] } }
  const { choices } = writeCompletion(both, events, undefined) as any
  assert.deepEqual([choices[0].message.tool_calls.length, choices[0].finish_reason], [1, 'tool_calls'])
})
