import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitCacheBreakpoints } from './anthropic-cache-breakpoints.ts'

const cache_control = { type: 'ephemeral' }
const text = (value: string) => ({ type: 'text', text: value, cache_control })
const turn = (...values: string[]) => ({ role: 'user', content: values.map(text) })
const marksIn = (value: unknown) => JSON.stringify(value).split('cache_control').length - 1

test('at most four cache breakpoints remain, the latest of the conversation', () => {
  const body = {
    system: [text('s')],
    tools: [{ name: 'f', cache_control }],
    messages: [turn('a', 'b'), turn('c', 'd')],
  }
  const dropped: string[] = []
  const fitted = limitCacheBreakpoints(body, dropped) as typeof body
  assert.deepEqual([marksIn(fitted.system), marksIn(fitted.tools), marksIn(fitted.messages)], [1, 1, 2])
  assert.deepEqual([marksIn(fitted.messages[0]), marksIn(fitted.messages[1])], [0, 2])
  assert.deepEqual(dropped, ['cache_control'])
})

test('breakpoints in results count, and so does that of the request', () => {
  const result = { type: 'tool_result', tool_use_id: 'a', content: [text('r')], cache_control }
  const body = { cache_control, messages: [{ role: 'user', content: [result] }, turn('a', 'b')] }
  assert.equal(marksIn(limitCacheBreakpoints(body, []).messages), 3)
})

test('above the limit, breakpoints of the conversation go first, except the last one', () => {
  const body = { system: ['a', 'b', 'c', 'd'].map(text), messages: [turn('e')] }
  const fitted = limitCacheBreakpoints(body, []) as typeof body
  assert.deepEqual([marksIn(fitted.system), marksIn(fitted.system[0]), marksIn(fitted.messages)], [3, 0, 1])
})

test('a request within the limit is unchanged', () => {
  const body = { messages: [turn('a', 'b', 'c', 'd')] }
  assert.equal(limitCacheBreakpoints(body, []), body)
})
