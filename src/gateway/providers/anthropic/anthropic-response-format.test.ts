import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { encoded, weatherTool } from '#test/harness/upstream/endpoints/encode-request.ts'
import { withOutputTool } from '../../protocol/repairs/output-tool.ts'
import { anthropicMessages } from './anthropic-messages.ts'

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const response_format = { type: 'json_schema', json_schema: { name: 'place', schema } }
const bodyFor = (model: string, more: object = {}) =>
  encoded(anthropicMessages, model, { response_format, ...more } as Partial<ChatRequest>).body
const only = { type: 'tool', name: 'json_answer', disable_parallel_tool_use: true }

test('a model without response formats must call a tool with the schema', () => {
  for (const model of [
    'claude-3-5-haiku-20241022',
    'claude-sonnet-4-20250514',
    'claude-opus-4-0',
    'claude-sonnet-4@20250514',
  ]) {
    const { tools, tool_choice, output_config } = bodyFor(model)
    assert.deepEqual(
      [tools[0].name, tools[0].input_schema, tool_choice, output_config],
      ['json_answer', schema, only, undefined],
      model,
    )
  }
})

test('a model with response formats gets the format', () => {
  for (const model of [
    'claude-opus-4-1-20250805',
    'claude-sonnet-4-5',
    'claude-opus-4-5',
    'claude-haiku-4-5-20251001',
    'claude-opus-5',
  ]) {
    const { tools, output_config } = bodyFor(model)
    assert.deepEqual([tools, output_config.format.type], [undefined, 'json_schema'], model)
  }
})

test('with other tools the model must call one of them or the response tool', () => {
  const tools = [weatherTool]
  assert.deepEqual(bodyFor('claude-3-7-sonnet', { tools }).tool_choice, { type: 'any' })
  assert.deepEqual(bodyFor('claude-3-7-sonnet', { tools, tool_choice: 'none' }).tool_choice, only)
  const chosen = { type: 'function', function: { name: weatherTool.function.name } }
  assert.equal(bodyFor('claude-3-7-sonnet', { tools, tool_choice: chosen }).tool_choice.name, weatherTool.function.name)
})

test('with reasoning the system prompt asks for a call, because it cannot be forced', () => {
  const { tool_choice, system, thinking } = bodyFor('claude-3-7-sonnet', { reasoning: { effort: 'low' } })
  assert.deepEqual([tool_choice, thinking.type], [{ type: 'auto' }, 'enabled'])
  assert.match(system.at(-1).text, /only by calling the tool "json_answer"/)
})

const blocks = (content: object[], stop_reason: string) => ({ id: 'm', content, stop_reason, usage: {} })
const read = (content: object[], stop_reason = 'tool_use') =>
  withOutputTool(anthropicMessages, 'json_answer')
    .readBody(blocks(content, stop_reason))
    .filter(({ type }) => type !== 'started' && type !== 'usage')
const response = { type: 'tool_use', id: 'a', name: 'json_answer', input: { city: 'Rome' } }
const text = { type: 'text', text: 'Here it is:' }

test('the arguments of the response tool are the text, without text before the call', () => {
  assert.deepEqual(read([text, response, { ...response, id: 'b' }]), [
    { type: 'text', text: '{"city":"Rome"}' },
    { type: 'finish', reason: 'stop', native: 'tool_use' },
  ])
})

test('calls of other tools and a response without a call stay', () => {
  const other = { type: 'tool_use', id: 'b', name: 'read', input: {} }
  assert.deepEqual(
    read([text, other]).map(({ type }) => type),
    ['text', 'tool_call', 'tool_arguments', 'finish'],
  )
  assert.deepEqual(read([text], 'end_turn')[0], { type: 'text', text: 'Here it is:' })
})

test('the arguments of the response tool stream as text', () => {
  const reader = withOutputTool(anthropicMessages, 'json_answer').createReader()
  const events = [
    { type: 'content_block_start', index: 0, content_block: { ...response, input: {} } },
    ...['{"city":', '"Rome"}'].map((partial_json) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  ]
  const all = events.flatMap((event) => reader({ event: undefined, data: JSON.stringify(event), raw: Buffer.alloc(0) }))
  assert.deepEqual(all, [
    { type: 'text', text: '{"city":' },
    { type: 'text', text: '"Rome"}' },
    { type: 'finish', reason: 'stop', native: 'tool_use' },
  ])
})
