import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toChatUsage } from '../clients/chat/usage.ts'
import { withCost } from './relay-whole.ts'

const costed = (json: string) => withCost(json, { costUsd: 0.5 }, toChatUsage)

test('the cost is inserted into the usage, and all other bytes stay', () => {
  const whole = '{"id":"x", "big":12345678901234567890,"usage" : {"prompt_tokens":1}}'
  assert.equal(costed(whole), whole.replace('{"prompt', '{"cost":0.5,"prompt'))
  assert.equal(costed('{"usage":{ }}'), '{"usage":{"cost":0.5 }}')
})

test('a usage in text or nested objects is not used', () => {
  const response = JSON.parse(costed('{"usage":{"prompt_tokens":1},"x_extra":{"usage":{"queue":2}}}'))
  assert.deepEqual(response, { usage: { prompt_tokens: 1, cost: 0.5 }, x_extra: { usage: { queue: 2 } } })
  const text = JSON.stringify({ text: 'it text "usage":{', usage: { prompt_tokens: 1 } })
  assert.deepEqual(JSON.parse(costed(text)).usage, { cost: 0.5, prompt_tokens: 1 })
})

test('the cost replaces that of the upstream', () =>
  assert.equal(JSON.parse(costed('{"usage":{"prompt_tokens":1,"cost":9}}')).usage.cost, 0.5))

test('a response that is written again keeps the digits of its numbers', () => {
  const input = '{"usage":12345678901234567890}'
  assert.ok(costed(`{"content":[{"input":${input}}],"usage":{"prompt_tokens":1}}`).includes(`"input":${input}`))
})

test('without a cost the response is unchanged', () => {
  const response = '{"usage":{}}'
  assert.equal(withCost(response, undefined, toChatUsage), response)
})
