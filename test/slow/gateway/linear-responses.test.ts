import { describe, test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { clientProtocols } from '#gateway/clients/client-protocols.ts'
import { WholeRelay } from '#gateway/protocol/relay-whole.ts'
import { maxToolCalls } from '#gateway/protocol/tool-calls/assembler.ts'
import { protocols } from '#gateway/providers/protocols.ts'
import type { Protocol } from '#platform/core/vocabulary.ts'
import { requireLinear, sizeRatio } from '../../growing-bodies/linear-work.ts'
import { fields, times } from '../../growing-bodies/pieces.ts'

const head = { id: 'gen-1', model: 'a/b', provider: 'p', createdSeconds: 5 }

/** Reads a whole response of a provider, and writes it for clients of every protocol. */
function relay(protocol: Protocol, text: string): void {
  const body = JSON.parse(text) as object
  const events: CompletionEvent[] = protocols[protocol].readBody(body, { responseId: 'gen-1' })
  for (const client of clientProtocols) {
    if (client.task) continue
    const passThrough = client.protocol === protocol
    const whole = new WholeRelay({
      client,
      head,
      passesResponse: passThrough,
      count: () => {},
      price: () => ({ costUsd: 1 }),
    })
    whole.onEvents(events, undefined, passThrough ? { bytes: Buffer.from(text), text, body } : undefined)
    whole.onEnd()
  }
}

const called = (more: object) => ({ type: 'function', function: { name: 'f', arguments: '{}' }, ...more })
const message = (message: object) => ({
  message: { role: 'assistant', content: 'a', ...message },
  finish_reason: 'stop',
})
const completion = (...choices: object[]) => ({ choices })
const response = (output: object[]) => ({ object: 'response', status: 'completed', output })
const candidate = (parts: object[]) => ({ candidates: [{ content: { parts }, finishReason: 'STOP' }] })

/** Answers with more are refused. */
const mostOutputTexts = 10_000
const calls = (n: number, make: (index: number) => object) => times(Math.min(n, maxToolCalls), make)

const responses: Record<string, [Protocol, (count: number) => object]> = {
  'calls with the same id': [
    'openai-chat',
    (n) => completion(message({ tool_calls: calls(n, () => called({ id: 'c' })) })),
  ],
  'calls without an id': ['openai-chat', (n) => completion(message({ tool_calls: calls(n, () => called({})) }))],
  'calls with their own ids': [
    'openai-chat',
    (n) => completion(message({ tool_calls: calls(n, (i) => called({ id: `c${i}` })) })),
  ],
  choices: ['openai-chat', (n) => completion(...times(n, (index) => ({ index, ...message({}) })))],
  'choices with calls': [
    'openai-chat',
    (n) => completion(...times(n, (index) => ({ index, ...message({ tool_calls: [called({})] }) }))),
  ],
  'text parts': ['openai-chat', (n) => completion(message({ content: times(n, () => ({ type: 'text', text: 'a' })) }))],
  'reasoning details': [
    'openai-chat',
    (n) =>
      completion(
        message({ reasoning_details: times(n, (i) => ({ type: 'reasoning.text', text: 'a', index: n - i })) }),
      ),
  ],
  sources: [
    'openai-chat',
    (n) =>
      completion(
        message({
          annotations: times(n, (i) => ({ type: 'url_citation', url_citation: { url: `http://a/${i}`, title: 't' } })),
        }),
      ),
  ],
  'counts of usage': [
    'openai-chat',
    (n) => ({
      ...completion(message({})),
      usage: {
        prompt_tokens: 1,
        ...fields(
          n,
          (i) => `k${i}`,
          (i) => i,
        ),
      },
    }),
  ],
  'output messages': [
    'openai-responses',
    (n) =>
      response(
        times(Math.min(n, mostOutputTexts), () => ({
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'a' }],
        })),
      ),
  ],
  'output calls': [
    'openai-responses',
    (n) => response(calls(n, () => ({ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }))),
  ],
  'content blocks': [
    'anthropic-messages',
    (n) => ({
      type: 'message',
      role: 'assistant',
      content: calls(n, () => ({ type: 'tool_use', id: 't', name: 'f', input: {} })),
      stop_reason: 'tool_use',
    }),
  ],
  thoughts: ['google-gemini', (n) => candidate(times(n, (i) => ({ text: 'a', thought: i % 2 === 0 })))],
  'function calls': ['google-gemini', (n) => candidate(calls(n, () => ({ functionCall: { name: 'f', args: {} } })))],
}

describe('processor time grows in proportion to a response with', () => {
  const most = 20_000
  for (const [name, [protocol, make]] of Object.entries(responses))
    test(name, () => {
      const [small, large] = [JSON.stringify(make(most / sizeRatio)), JSON.stringify(make(most))]
      requireLinear(protocol, { small, large }, (text) => relay(protocol, text))
    })
})
