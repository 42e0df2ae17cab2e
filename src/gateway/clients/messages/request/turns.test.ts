import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listUntranslatedFields } from './to-chat.ts'
import { toMessages } from './turns.ts'

const text = (content: string) => ({ type: 'text', text: content })

test('content beside a tool result follows it', () => {
  const result = { type: 'tool_result', tool_use_id: 'a', content: [text('blue')] }
  const turn = (...content: object[]) => toMessages(undefined, [{ role: 'user', content }])
  const toolMessage = { role: 'tool', tool_call_id: 'a', content: 'blue' }
  assert.deepEqual(turn(text('Hi'), result), [toolMessage, { role: 'user', content: 'Hi' }])
  assert.deepEqual(turn(result), [toolMessage])
  assert.deepEqual(turn({ type: 'tool_result', tool_use_id: 'b' }), [{ role: 'tool', tool_call_id: 'b', content: '' }])
  const cache_control = { type: 'ephemeral' }
  assert.deepEqual(turn({ ...result, cache_control }), [
    { ...toolMessage, content: [{ ...text('blue'), cache_control }] },
  ])
  assert.throws(() => turn({ type: 'tool_result' }), { kind: 'invalid', message: /^messages.0.content.0.tool_use_id/ })
})

test('content, reasoning and calls of a turn become one message', () => {
  const content = [
    text('I '),
    { type: 'server_tool_use', name: 'web_search' },
    text('look.'),
    { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Rome' } },
  ]
  assert.deepEqual(toMessages('Be brief.', [{ role: 'assistant', content }]), [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
    },
  ])
  const only = (block: object) => toMessages(undefined, [{ role: 'assistant', content: [block] }])
  assert.deepEqual(only({ type: 'mcp_tool_use' }), [])
  assert.deepEqual(only({ type: 'compaction', content: 'So far' }), [{ role: 'assistant', content: 'So far' }])
  assert.throws(() => only({ type: 'tool_use', name: 'x' }), { message: /^messages.0.content.0.id: is required/ })
  assert.throws(() => only({ type: 'tool_use', id: 'x' }), { message: /^messages.0.content.0.name: is required/ })
})

test('a turn is of the user, the assistant or the system', () => {
  const roles = ['user', 'system', 'assistant'].map((role) => toMessages(undefined, [{ role, content: 'Hi' }])[0]!.role)
  assert.deepEqual(roles, ['user', 'system', 'assistant'])
  assert.throws(() => toMessages(undefined, [{ role: 'tool', content: 'Hi' }]), {
    message: /^messages.0.role: must be/,
  })
})

test('a mark for the cache keeps an assistant’s text in the parts that it was sent in', () => {
  const marked = { ...text('look.'), cache_control: { type: 'ephemeral' } }
  const [message] = toMessages(undefined, [{ role: 'assistant', content: [text('I '), marked] }])
  assert.deepEqual(message?.content, [text('I '), marked])
})

test('the billing line of Claude Code does not reach the models of other providers', () => {
  const line = 'x-anthropic-billing-header: cc_version=2.1.177; cch=36ee5;'
  for (const system of [[text(line), text('Be brief.')], `${line}\nBe brief.`])
    assert.deepEqual(toMessages(system, []), [{ role: 'system', content: 'Be brief.' }])
  assert.deepEqual(toMessages([text(line)], []), [])
  assert.deepEqual(listUntranslatedFields({ system: [text(line)], messages: [] }), [
    'system.x-anthropic-billing-header',
  ])
  const later = { system: [text('Be brief.'), text(line)], messages: [] }
  assert.deepEqual(listUntranslatedFields(later), ['system.x-anthropic-billing-header'])
})
