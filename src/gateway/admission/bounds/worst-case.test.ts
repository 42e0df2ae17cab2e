import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { responsesToChat } from '../../clients/responses/to-chat.ts'
import type { Target } from '../../plan/plan.ts'
import { encodeBody } from '../../protocol/encoded-body.ts'
import type { ProviderProtocol } from '../../protocol/provider-protocol.ts'
import type { Body } from '../../protocol/request-body.ts'
import { anthropicMessages } from '../../providers/anthropic/anthropic-messages.ts'
import { googleGemini } from '../../providers/gemini/google-gemini.ts'
import { openaiChat } from '../../providers/openai-chat/openai-chat.ts'
import { openaiResponses } from '../../providers/openai-responses/openai-responses.ts'
import { worstCaseCost } from './worst-case.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const perToken = { prompt: '0', completion: '0.000001' }

/** The reserved tokens of a response, at a price of a millionth for each. */
function reserved(
  providerProtocol: ProviderProtocol,
  body: Body,
  more: Partial<Endpoint> = {},
  model = 'claude-sonnet-4-5',
): number {
  const endpoint = endpointFor(model, { prices: perToken, ...more })
  const chat = providerProtocol === openaiResponses ? responsesToChat(body) : (body as ChatRequest)
  return Number(worstCaseCost({ chat, body }, [{ endpoint } as Target], () => providerProtocol)) / 1e6
}

/** The output limit in the body for the upstream, under any name. */
function sentLimit(
  providerProtocol: ProviderProtocol,
  body: Body,
  more: Partial<Endpoint> = {},
  model = 'claude-sonnet-4-5',
): unknown[] {
  const target = { endpoint: endpointFor(model, more), credential: 'secret', stream: false }
  const sent = JSON.parse(
    String(encodeBody((providerProtocol.passThrough ?? providerProtocol.encode)(body as ChatRequest & Body, target)!)),
  )
  const { max_tokens, max_completion_tokens, max_output_tokens, max_new_tokens, n_predict, generationConfig } = sent
  const all = [max_tokens, max_completion_tokens, max_output_tokens, max_new_tokens, n_predict]
  return [...all, generationConfig?.maxOutputTokens].filter((limit) => limit !== undefined)
}

describe('the reservation for a response', () => {
  test('a limit below 1 limits nothing, and is not sent', () => {
    for (const providerProtocol of [openaiChat, googleGemini]) {
      for (const max_tokens of [0, -1, -100_000]) {
        assert.equal(reserved(providerProtocol, { messages, max_tokens }), 64_000)
        assert.deepEqual(sentLimit(providerProtocol, { messages, max_tokens, max_completion_tokens: -1 }), [])
      }
    }
    assert.equal(reserved(openaiResponses, { input: 'Hi', max_output_tokens: -1 }), 64_000)
    assert.deepEqual(sentLimit(openaiResponses, { input: 'Hi', max_output_tokens: -1 }), [])
    assert.deepEqual(sentLimit(anthropicMessages, { messages, max_tokens: -1 }), [64_000])
  })

  test('of several names for the limit only the effective one is sent', () => {
    const names = ['max_completion_tokens', 'max_tokens', 'max_output_tokens', 'max_new_tokens', 'n_predict']
    for (const counted of names) {
      const limits = Object.fromEntries(names.map((name) => [name, name === counted ? 100 : 500_000]))
      for (const [providerProtocol, request] of [
        [openaiChat, { messages }],
        [openaiResponses, { input: 'Hi' }],
      ] as const) {
        const sent = sentLimit(providerProtocol, { ...request, ...limits })
        assert.deepEqual(sent, [reserved(providerProtocol, { ...request, ...limits })])
      }
    }
  })

  test('a limit raised for reasoning counts as raised', () => {
    const wishes = [{ max_tokens: 50_000 }, { effort: 'high' }, { enabled: true }, {}]
    for (const reasoning of wishes) {
      for (const max_tokens of [1, 900, 5000, undefined]) {
        for (const maxCompletionTokens of [null, 64_000]) {
          const body = { messages, reasoning, ...(max_tokens && { max_tokens }) }
          const [sent] = sentLimit(anthropicMessages, body, { maxCompletionTokens })
          assert.equal(reserved(anthropicMessages, body, { maxCompletionTokens }), sent)
        }
      }
    }
    assert.ok(reserved(anthropicMessages, { messages, max_tokens: 1, reasoning: { max_tokens: 50_000 } }) > 50_000)
  })

  test('a limit raised to the protocol minimum counts as raised', () => {
    assert.equal(reserved(openaiResponses, { input: 'Hi', max_output_tokens: 1 }), 16)
  })

  test('every choice and every candidate counts', () => {
    assert.equal(reserved(openaiChat, { messages, max_tokens: 10, n: 3 }), 30)
    assert.equal(reserved(openaiChat, { messages, max_tokens: 10, n: 3, best_of: 100 }), 1000)
  })
})

test('a request that may be compacted first reserves two responses', () => {
  const edits = [{ type: 'compact_20260112' }]
  assert.equal(reserved(anthropicMessages, { messages, max_tokens: 500, context_management: { edits } }), 1000)
  const otherEdits = [{ type: 'clear_tool_uses_20250919' }]
  assert.equal(
    reserved(anthropicMessages, { messages, max_tokens: 500, context_management: { edits: otherEdits } }),
    500,
  )
  const chat = { messages, max_tokens: 500 } as ChatRequest
  const body = { input: 'Hi', context_management: [{ type: 'compaction', compact_threshold: 1000 }] }
  const target = { endpoint: endpointFor('m', { prices: perToken }) } as Target
  const bodies = { chat, body, protocol: 'openai-responses' as const }
  assert.equal(Number(worstCaseCost(bodies, [target], () => openaiResponses)) / 1e6, 1000)
})
