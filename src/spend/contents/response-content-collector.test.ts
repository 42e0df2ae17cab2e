import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ResponseContentCollector } from './response-content-collector.ts'

test('the parts of a response are joined: text, reasoning, calls with arguments', () => {
  const response = new ResponseContentCollector(1000)
  response.addEvents([
    { type: 'reasoning', text: 'Hm' },
    { type: 'text', text: 'Let me ' },
  ])
  response.addEvents([
    { type: 'text', text: 'look.' },
    { type: 'tool_call', index: 0, id: 'a', name: 'look' },
    { type: 'tool_call', index: 1, id: 'b', name: 'see' },
    { type: 'tool_arguments', index: 1, text: '{"b"' },
    { type: 'tool_arguments', index: 0, text: '{}' },
    { type: 'tool_arguments', index: 1, text: ':1}' },
  ])
  assert.deepEqual(response.toContent(), {
    completion: 'Let me look.',
    reasoning: 'Hm',
    calls: [
      { id: 'a', name: 'look', arguments: '{}' },
      { id: 'b', name: 'see', arguments: '{"b":1}' },
    ],
  })
})

test('of a response without end only a bounded part is held', () => {
  const response = new ResponseContentCollector(1000)
  for (let n = 0; n < 100_000; n++) response.addEvents([{ type: 'text', text: '0123456789' }])
  for (let n = 0; n < 100_000; n++) response.addEvents([{ type: 'tool_call', index: n, id: `${n}`, name: 'x' }])
  const { completion, calls } = response.toContent()
  assert.ok(completion!.length <= 1010 && calls.length === 0)
})

test('provider data that is not text is ignored', () => {
  const response = new ResponseContentCollector(1000)
  response.addEvents([
    { type: 'text', text: { toString: null } as never },
    { type: 'tool_arguments', index: 9, text: 'x' },
  ])
  assert.deepEqual(response.toContent(), { completion: null, reasoning: null, calls: [] })
})
