import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busyMs } from '#test/harness/until.ts'
import { ResponsesCall } from './responses-call.ts'
import { ResponsesRequest } from './responses-request.ts'

const pathsOf = (schema: typeof ResponsesRequest | typeof ResponsesCall, body: unknown) =>
  schema.safeParse(body).error?.issues.map(({ path }) => path.join('.')) ?? []

test('nothing is filled in, renamed or lost', () => {
  const body = {
    model: 'a/b',
    a_new_parameter: { deep: [1] },
    provider: { a_new_preference: true },
    reasoning: { effort: 'high', a_new_option: 1 },
    input: [{ type: 'message', role: 'user', content: 'Hi', a_new_field: null }],
  }
  assert.deepEqual(ResponsesRequest.parse(body), body)
  assert.deepEqual(ResponsesRequest.parse({}), {})
})

test('every wrong field is named at once', () => {
  assert.deepEqual(pathsOf(ResponsesRequest, { temperature: 'hot', top_k: 0.5, user: 1 }), [
    'temperature',
    'top_k',
    'user',
  ])
})

test('4 MiB of input in 10,000 items are checked within 50 ms', () => {
  const input = Array.from({ length: 10_000 }, () => ({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: 'x'.repeat(340) }],
  }))
  const times = [1, 2, 3].map(() => busyMs(() => ResponsesRequest.parse({ model: 'a/b', input })))
  assert.ok(Math.min(...times) < 50, `it took ${times.map((ms) => ms.toFixed(1)).join(', ')} ms`)
})

test('a call accepts any tool; a stored body only specified ones', () => {
  for (const tool_choice of ['none', 'required', { type: 'function', name: 'f' }, { type: 'web_search_preview' }]) {
    assert.deepEqual(pathsOf(ResponsesCall, { tool_choice }), [])
    assert.deepEqual(pathsOf(ResponsesRequest, { tool_choice }), ['tool_choice'])
  }
  const tools = [{ type: 'web_search' }]
  assert.deepEqual(pathsOf(ResponsesCall, { tools }), [])
  assert.deepEqual(pathsOf(ResponsesRequest, { tools }), ['tools.0.type', 'tools.0.name'])
})

test("a call's functions need a name, and its tool choice a type", () => {
  assert.deepEqual(pathsOf(ResponsesCall, { tools: [{ type: 'function' }] }), ['tools.0.name'])
  assert.deepEqual(pathsOf(ResponsesCall, { tools: [{ name: 'f' }] }), ['tools.0.type'])
  assert.deepEqual(pathsOf(ResponsesCall, { tool_choice: 'sometimes' }), ['tool_choice'])
  assert.deepEqual(pathsOf(ResponsesCall, { tool_choice: {} }), ['tool_choice'])
})

test("a call's limit is at least 1; a stored one is any whole number, as specified", () => {
  for (const max_output_tokens of [0, -1]) {
    assert.deepEqual(pathsOf(ResponsesCall, { max_output_tokens }), ['max_output_tokens'])
    assert.deepEqual(pathsOf(ResponsesRequest, { max_output_tokens }), [])
  }
  assert.deepEqual(pathsOf(ResponsesCall, { max_output_tokens: null, n: '2' }), ['n'])
})
