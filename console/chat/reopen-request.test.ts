import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsOf, splitMessages } from './reopen-request.ts'
import { fieldsOf } from './request.ts'

test('splitMessages separates system prompt, earlier and last message', () => {
  const parts = splitMessages([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: [{ type: 'text', text: 'Which invoice?' }] },
  ])
  assert.equal(parts.system, 'Be short.')
  assert.deepEqual(
    parts.earlier.map(({ content }) => content),
    ['Hi', 'Hello'],
  )
  assert.equal(parts.last, 'Which invoice?')
})

test('splitMessages has no last message after a tool result', () => {
  const { earlier, last } = splitMessages([
    { role: 'user', content: 'Look' },
    { role: 'tool', content: 'found', tool_call_id: '1' },
  ])
  assert.deepEqual([earlier.length, last], [2, ''])
})

test('settingsOf keeps all parameters except session_id', () => {
  const parameters = {
    temperature: 0,
    top_p: 0.5,
    max_tokens: 9,
    reasoning: { effort: 'low' },
    tools: [{ type: 'function', function: { name: 'find' } }],
    seed: 7,
  }
  assert.deepEqual(fieldsOf(settingsOf('', { ...parameters, session_id: 's' })), parameters)
  const thinking = { reasoning: { effort: 'high', exclude: true } }
  assert.deepEqual(fieldsOf(settingsOf('', thinking)), thinking)
  assert.deepEqual(fieldsOf(settingsOf('', {})), {})
})
