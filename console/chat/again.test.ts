import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takenApart } from './again.ts'

test('a kept request becomes its system prompt, what came before, and what was said last', () => {
  const taken = takenApart([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: [{ type: 'text', text: 'Which invoice?' }] },
  ])
  assert.equal(taken.system, 'Be short.')
  assert.deepEqual(
    taken.before.map(({ content }) => content),
    ['Hi', 'Hello'],
  )
  assert.equal(taken.last, 'Which invoice?')
})

test('a request that ended with the answer of a tool leaves nothing to say, and goes before whole', () => {
  const { before, last } = takenApart([
    { role: 'user', content: 'Look' },
    { role: 'tool', content: 'found', tool_call_id: '1' },
  ])
  assert.deepEqual([before.length, last], [2, ''])
})
