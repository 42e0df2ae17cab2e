import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { usageOf } from '../clients/chat/usage.ts'
import type { ClientProtocol } from './protocol.ts'
import { relayStream, withCost } from './relay.ts'

const costed = (json: string) => withCost(json, { costUsd: 0.5 }, usageOf)

test('the cost is inserted into the usage, and all other bytes stay', () => {
  const whole = '{"id":"x", "big":12345678901234567890,"usage" : {"prompt_tokens":1}}'
  assert.equal(costed(whole), whole.replace('{"prompt', '{"cost":0.5,"prompt'))
  assert.equal(costed('{"usage":{ }}'), '{"usage":{"cost":0.5 }}')
})

test('a usage in text or nested objects is not used', () => {
  const answer = JSON.parse(costed('{"usage":{"prompt_tokens":1},"x_extra":{"usage":{"queue":2}}}'))
  assert.deepEqual(answer, { usage: { prompt_tokens: 1, cost: 0.5 }, x_extra: { usage: { queue: 2 } } })
  const text = JSON.stringify({ text: 'it text "usage":{', usage: { prompt_tokens: 1 } })
  assert.deepEqual(JSON.parse(costed(text)).usage, { cost: 0.5, prompt_tokens: 1 })
})

test('the cost replaces that of the upstream', () =>
  assert.equal(JSON.parse(costed('{"usage":{"prompt_tokens":1,"cost":9}}')).usage.cost, 0.5))

test('without a cost the answer is unchanged', () => {
  const answer = '{"usage":{}}'
  assert.equal(withCost(answer, undefined, usageOf), answer)
})

test('small pieces are written, empty ones are not', async () => {
  const writes: string[] = []
  const response = {
    signal: new AbortController().signal,
    write: (chunk: Buffer | string) => Boolean(writes.push(String(chunk))),
  } as unknown as ResponseStream
  const words = ['', '.', '']
  const client = { writer: () => ({ event: () => words.shift()! }) } as unknown as ClientProtocol
  const head = { id: 'gen-1', model: 'a/b', createdSeconds: 1 }
  const rest = {
    passThrough: false,
    includeUsage: false,
    count: () => {},
    countText: () => {},
    price: () => ({ costUsd: 0 }),
  }
  const relay = relayStream(response, { client, head, ...rest })
  for (const text of ['a', 'b', 'c']) {
    relay.events([{ type: 'text', text }], Buffer.from(text))
    relay.flush()
    await nextTurn()
  }
  assert.deepEqual(writes, ['.'])
})
