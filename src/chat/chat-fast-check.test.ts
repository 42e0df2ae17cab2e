import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { passesChatFastCheck } from './chat-fast-check.ts'
import { ChatRequest } from './chat-request.ts'

const user = { role: 'user', content: 'Hi' }
const odd = fc.constantFrom<unknown>(
  undefined,
  null,
  '',
  'x',
  0,
  1,
  1.5,
  -1,
  Number.POSITIVE_INFINITY,
  true,
  [],
  {},
  ['x'],
  [{}],
  {
    type: 'x',
  },
)
const part = fc.record({ type: odd, text: odd, more: odd }, { requiredKeys: [] })
const call = fc.record({ id: odd, type: odd, function: fc.oneof(odd, fc.record({ name: odd, arguments: odd })) })
const roles = fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool')
const mostly = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 5, arbitrary }, odd)
const message = fc.record(
  {
    role: mostly(roles),
    content: fc.oneof(mostly(fc.constant('x')), fc.array(part, { maxLength: 2 })),
    name: mostly(fc.constant('x')),
    tool_calls: mostly(fc.array(call, { maxLength: 1 })),
    tool_call_id: mostly(fc.constant('x')),
  },
  { requiredKeys: [] },
)
const names = fc.constantFrom(...Object.keys(ChatRequest.shape), 'unknown')
const body = fc
  .tuple(
    fc.dictionary(names, odd, { maxKeys: 3 }),
    fc.oneof(fc.constant([user]), odd, fc.array(message, { maxLength: 2 })),
  )
  .map(([fields, messages]) => ({ ...fields, messages }))

describe('a body that passes the fast check', () => {
  test('is valid by the schema, which changes nothing in it', () => {
    let sure = 0
    fc.assert(
      fc.property(fc.oneof(body, odd), (given) => {
        if (!passesChatFastCheck(given)) return
        sure++
        const plain = structuredClone(given)
        assert.deepEqual(ChatRequest.parse(plain), plain)
      }),
      { numRuns: 5000 },
    )
    assert.ok(sure > 100, `${sure} were sure`)
  })

  test('can have each usual kind of message', () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }]
    const called = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }]
    const messages = [
      { role: 'system', content: 'x' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url: 'x' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: called },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
    ]
    const settings = { temperature: 0.5, max_tokens: 5, stream: true, stream_options: { include_usage: true }, tools }
    assert.ok(passesChatFastCheck({ model: 'a/b', messages, ...settings, x: 1 }))
  })

  test('accepts no body that the schema refuses', () => {
    for (const wrong of [{ max_tokens: 0 }, { temperature: 'x' }, { stop: 5 }, { tools: [{}] }, { messages: [] }])
      assert.equal(passesChatFastCheck({ messages: [user], ...wrong }), false, JSON.stringify(wrong))
    const called = { name: 'f', arguments: '{}' }
    for (const wrong of [
      { ...user, content: [{ type: 'text', text: 5 }] },
      { role: 'assistant', tool_calls: [{ id: 'c', function: { ...called, name: 5 } }] },
      { role: 'assistant', tool_calls: [{ id: 'c', function: { ...called, arguments: {} } }] },
    ])
      assert.equal(passesChatFastCheck({ messages: [user, wrong] }), false, JSON.stringify(wrong))
  })
})
