import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitToClaude } from './anthropic-model-rules.ts'

const user = { role: 'user', content: 'Hi' }
const response = { role: 'assistant', content: 'Sure' }
const fit = (body: object) => {
  const dropped: string[] = []
  return { body: fitToClaude({ model: 'claude-opus-4-7', messages: [user], ...body }, dropped), dropped }
}

test('an id of a user that Claude refuses is hashed', () => {
  for (const user_id of ['ada@example.com', '+41 79 123 45 67', 'x'.repeat(300)])
    assert.match((fit({ metadata: { user_id } }).body.metadata as { user_id: string }).user_id, /^[0-9a-f]{64}$/)
  assert.deepEqual(fit({ metadata: { user_id: 'user_1' } }).body.metadata, { user_id: 'user_1' })
})

test('sampling settings that a model refuses are removed', () => {
  const { body, dropped } = fit({ temperature: 0.5, top_p: 1 })
  assert.deepEqual([body.temperature, body.top_p, dropped], [undefined, undefined, ['temperature']])
  assert.deepEqual(fit({ top_k: 1 }).dropped, ['top_k'])
  const both = fit({ model: 'claude-sonnet-4-5-20250929', temperature: 0.5, top_p: 0.9 })
  assert.deepEqual([both.body.temperature, both.body.top_p, both.dropped], [0.5, undefined, ['top_p']])
  for (const model of ['claude-sonnet-4-20250514', 'claude-3-7-sonnet-latest'])
    assert.equal(fit({ model, temperature: 0.5, top_p: 0.9 }).body.top_p, 0.9)
})

test('a conversation starts with the user, and ends with the user without prefill', () => {
  const roles = ({ body }: ReturnType<typeof fit>) => (body.messages as { role: string }[]).map(({ role }) => role)
  assert.deepEqual(roles(fit({ messages: [response, user] })), ['user', 'assistant', 'user'])
  assert.deepEqual(roles(fit({ messages: [user, response] })), ['user', 'assistant', 'user'])
  assert.deepEqual(roles(fit({ model: 'claude-haiku-4-5', messages: [user, response] })), ['user', 'assistant'])
})

test('other servers of the protocol get the request as it is', () => {
  const body = { model: 'kimi-k2', messages: [response], temperature: 0.5, metadata: { user_id: 'ada@example.com' } }
  assert.equal(fitToClaude(body, []), body)
})

test('a temperature above 1 is limited', () => {
  assert.equal(fitToClaude({ model: 'claude-sonnet-4-5', temperature: 1.5 }, []).temperature, 1)
})
