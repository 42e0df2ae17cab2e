import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { applyPreset } from '../../presets/apply-preset.ts'
import { openaiChat } from '../../providers/openai-chat/openai-chat.ts'
import { chatClientProtocol } from './chat-client-protocol.ts'
import { writeCompletion } from './completion.ts'
import { createChatWriter } from './writer.ts'

const request = { functions: [{ name: 'read' }] }
const messages = [{ role: 'user', content: 'Hello' }]
/** The request with the tools of a preset. */
const fillIn = (config: object, body: object = request) =>
  applyPreset({ system_prompt: null, config: config as any }, { messages, ...body }, chatClientProtocol.preset)
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

test('functions of a preset join the functions of a client, which win by name', () => {
  const tools = ['read', 'write'].map((name) => ({ type: 'function', name, description: 'preset' }))
  const { messages: _messages, ...filled } = fillIn({ tools })
  assert.deepEqual(filled, { functions: [{ name: 'write', description: 'preset' }, { name: 'read' }] })
  const { choices } = writeCompletion({ ...head, request: filled }, events, undefined) as any
  assert.equal(choices[0].finish_reason, 'function_call')
})

test('functions of a client and other tools of a preset are sent as tools alone', () => {
  const filled = fillIn({ tools: [{ type: 'web_search' }], tool_choice: 'required' })
  const endpoint = { upstreamModel: 'gpt-4o', baseUrl: 'https://api.openai.com/v1' } as any
  assert.equal(openaiChat.passThrough!(filled, { endpoint } as any), undefined)
  const { functions, tools, tool_choice } = chatClientProtocol.toChat(filled) as any
  assert.deepEqual([functions, tool_choice], [undefined, 'required'])
  assert.deepEqual(tools, [{ type: 'function', function: { name: 'read' } }, { type: 'web_search' }])
  const { choices } = writeCompletion({ ...head, request: filled }, events, undefined) as any
  assert.equal(choices[0].message.function_call.name, 'read')
})
