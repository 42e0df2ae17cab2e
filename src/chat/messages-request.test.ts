import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessagesRequest } from './messages-request.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const pathsOf = (body: object) =>
  MessagesRequest.safeParse({ messages, ...body }).error?.issues.map((issue) => issue.path.join('.')) ?? []

test('a body with thinking, tools and cache marks is unchanged', () => {
  const body = {
    model: 'anthropic/claude-sonnet-4.5',
    max_tokens: 1024,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'done' }] },
    ],
    thinking: { type: 'enabled', budget_tokens: 2048 },
    tools: [
      { name: 'f', input_schema: { type: 'object' } },
      { type: 'web_search_20250305', name: 'web_search' },
    ],
    tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
    stop_sequences: ['END'],
    metadata: { user_id: 'someone' },
    a_new_parameter: 1,
  }
  assert.deepEqual(MessagesRequest.parse(body), body)
})

/** One wrong value each, and the path that the error must name. */
const refused: [path: string, body: object][] = [
  ['messages', { messages: [] }],
  ['messages.0.role', { messages: [{ role: 'tool', content: 'Hi' }] }],
  ['messages.0.content', { messages: [{ role: 'user', content: 1 }] }],
  ['system', { system: [{ text: 'no type' }] }],
  ['max_tokens', { max_tokens: '1024' }],
  ['max_tokens', { max_tokens: 0 }],
  ['thinking.type', { thinking: { type: 'deep' } }],
  ['thinking.budget_tokens', { thinking: { type: 'enabled' } }],
  ['tool_choice.type', { tool_choice: { type: 'required' } }],
  ['tool_choice.name', { tool_choice: { type: 'tool' } }],
  ['tools.0.input_schema', { tools: [{ name: 'f', input_schema: 'none' }] }],
  ['stop_sequences', { stop_sequences: 'END' }],
  ['metadata.user_id', { metadata: { user_id: 1 } }],
]
test('a wrong value is refused at its path', () => {
  for (const [path, body] of refused) assert.deepEqual(pathsOf(body), [path])
})
