import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { anthropicMessages } from '../../providers/anthropic/anthropic-messages.ts'
import { withCustomCalls, withFunctionTools } from './custom-tools.ts'

const grammar = { syntax: 'lark', definition: 'start: "a"' }
const custom = {
  type: 'custom',
  custom: { name: 'patch', description: 'Edits.', format: { type: 'grammar', grammar } },
}
const call = { id: 'a', type: 'custom', custom: { name: 'patch', input: '*** x' } }
const requestWith = (more: object) => ({ messages: [{ role: 'user', content: 'Hi' }], ...more }) as ChatRequest

test('a custom tool becomes a function with its grammar in the description', () => {
  const { chat, customTools } = withFunctionTools(
    requestWith({ tools: [custom], tool_choice: { type: 'custom', custom: { name: 'patch' } } }),
  )
  const { name, description, parameters } = chat.tools![0]!.function as {
    name: string
    description: string
    parameters: { required: string[] }
  }
  assert.deepEqual([...customTools!], ['patch'])
  assert.deepEqual(
    [name, parameters.required, chat.tool_choice],
    ['patch', ['input'], { type: 'function', function: { name: 'patch' } }],
  )
  assert.match(description, /^Edits\.\n\nThe input must match this grammar \(lark\):\nstart: "a"$/)
})

test('an earlier call of a custom tool becomes a call of a function', () => {
  const { chat } = withFunctionTools(
    requestWith({ messages: [{ role: 'assistant', content: null, tool_calls: [call] }] }),
  )
  assert.deepEqual((chat.messages[0] as { tool_calls: object[] }).tool_calls, [
    { id: 'a', type: 'function', function: { name: 'patch', arguments: '{"input":"*** x"}' } },
  ])
})

test('a chat without custom tools is the same object', () => {
  const chat = requestWith({ tools: [{ type: 'function', function: { name: 'read' } }] })
  assert.equal(withFunctionTools(chat).chat, chat)
})

const block = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
const tools = new Set(['patch'])

test('a call of such a function is a call of the custom tool with its text', () => {
  const content = [block('a', 'patch', { input: 'x\n"y"' }), block('b', 'read', { path: 'a' })]
  const events = withCustomCalls(anthropicMessages, tools).readBody({ id: 'm', content, stop_reason: 'tool_use' })
  assert.deepEqual(events.slice(1, -1), [
    { type: 'tool_call', index: 0, id: 'a', name: 'patch', custom: true },
    { type: 'tool_arguments', index: 0, text: 'x\n"y"' },
    { type: 'tool_call', index: 1, id: 'b', name: 'read' },
    { type: 'tool_arguments', index: 1, text: '{"path":"a"}' },
  ])
})

test('the text of a streamed call follows when it is complete, or cut at the limit', () => {
  const textOf = (pieces: string[], stop_reason: string) => {
    const read = withCustomCalls(anthropicMessages, tools).createReader()
    const events = [
      { type: 'content_block_start', index: 0, content_block: block('a', 'patch', {}) },
      ...pieces.map((partial_json) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason } },
    ]
    const all = events.flatMap((event) => read({ event: undefined, data: JSON.stringify(event), raw: Buffer.alloc(0) }))
    return all.flatMap((event) => (event.type === 'tool_arguments' ? [event.text] : []))
  }
  assert.deepEqual(textOf(['{"input":"a', '\\nb"}'], 'tool_use'), ['a\nb'])
  assert.deepEqual(textOf(['{"input":"a"}', '\n'], 'tool_use'), ['a'])
  assert.deepEqual(textOf(['{"input":"a', '\\nb'], 'max_tokens'), ['a\nb'])
  assert.deepEqual(textOf(['{"input":"a\\'], 'max_tokens'), ['a'])
})
