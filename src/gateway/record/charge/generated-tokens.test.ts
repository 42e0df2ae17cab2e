import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Prices } from '#catalogue/index/model.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { LazyUsageBound } from '../../admission/bounds/lazy-usage-bound.ts'
import { openaiChat } from '../../providers/openai-chat/openai-chat.ts'
import type { TriedEndpoint } from '../tried-endpoint.ts'
import { needsUsage } from './generated-tokens.ts'

function needsUsageOf(prices: Prices, output: 'text' | 'image', stopsOnDisconnect = false) {
  const endpoint = endpointFor('m', { prices, supportedParameters: [] })
  const model = { inputModalities: ['text'], outputModalities: ['text', output] }
  const chat = { messages: [{ role: 'user' as const, content: 'Hi' }] }
  const offer = { endpoint, model } as unknown as ConstructorParameters<typeof LazyUsageBound>[1]
  const bound = new LazyUsageBound({ chat, body: chat }, offer, openaiChat)
  return needsUsage({ target: { endpoint }, bound, stopsOnDisconnect } as unknown as TriedEndpoint, 100)
}

test('a response with a price is read after a disconnect if its provider continues', () => {
  const free = { prompt: '0', completion: '0' }
  assert.equal(needsUsageOf({ prompt: '1', completion: '1' }, 'text'), true)
  assert.equal(needsUsageOf({ prompt: '1', completion: '1' }, 'text', true), false)
  assert.equal(needsUsageOf(free, 'text'), false)
  assert.equal(needsUsageOf({ ...free, image: '0.04' }, 'text'), false)
  assert.equal(needsUsageOf({ ...free, image: '0.04' }, 'image'), true)
})
