import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChatRequest } from '#chat/chat-request.ts'
import { withToolResults } from './function-results.ts'

const question = { role: 'user', content: 'Hi' }
const call = (name = 'f') => ({ role: 'assistant', content: null, function_call: { name, arguments: '{"a":1}' } })
const result = (name = 'f') => ({ role: 'function', name, content: 'done' })
const toolCall = (id: string, name = 'f') => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: '{"a":1}' } }],
})
const toolResult = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'done' })

test('results of functions become results of tools', () => {
  const messages = [question, call(), result(), call('g'), result('g'), call()]
  assert.ok(ChatRequest.safeParse({ messages }).success)
  assert.deepEqual(withToolResults({ messages }).messages, [
    question,
    toolCall('call_function_1'),
    toolResult('call_function_1'),
    toolCall('call_function_3', 'g'),
    toolResult('call_function_3'),
    call(),
  ])
})

test('a result without a call of its name is refused', () => {
  const response = { role: 'assistant', content: 'Hi' }
  for (const before of [[question], [call('g')], [call(), result()], [call(), response], [toolCall('a')]])
    assert.throws(() => withToolResults({ messages: [...before, result()] }), {
      kind: 'invalid',
      message: new RegExp(`messages.${before.length}: .* must follow an assistant message`),
    })
  assert.equal(ChatRequest.safeParse({ messages: [{ role: 'function', content: 'x' }] }).success, false)
})

test('other messages are unchanged', () => {
  const body = { messages: [question, call(), toolCall('a'), toolResult('a')] }
  assert.equal(withToolResults(body), body)
})
