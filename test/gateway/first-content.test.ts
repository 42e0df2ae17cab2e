import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Protocol } from '#platform/core/vocabulary.ts'
import { until } from '#test/harness/until.ts'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { parseRequest } from '#test/harness/upstream/scripted-upstream.ts'

const sse = (events: object[]) => events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
const error = { message: 'Overloaded', type: 'overloaded_error', code: 529, status: 'UNAVAILABLE' }
const chunk = (delta: object) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null }],
})
const started = {
  type: 'message_start',
  message: { id: 'm', model: 'm', role: 'assistant', content: [], usage: { input_tokens: 3, output_tokens: 1 } },
}
const response = { id: 'r', model: 'm', status: 'in_progress', output: [] }

/** Streams that start and then fail, by protocol: without content, or after some. */
const streams: Record<string, { opening: object[]; content: object[]; failure: object }> = {
  'openai-chat': {
    opening: [chunk({ role: 'assistant', content: '' })],
    content: [chunk({ content: 'Hi' })],
    failure: { error },
  },
  'openai-responses': {
    opening: [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ],
    content: [{ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi' }],
    failure: {
      type: 'response.failed',
      response: { ...response, status: 'failed', error: { code: 'server_error', message: 'Overloaded' } },
    },
  },
  'anthropic-messages': {
    opening: [started, { type: 'ping' }],
    content: [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    ],
    failure: { type: 'error', error },
  },
  'google-gemini': {
    opening: [{ responseId: 'g', modelVersion: 'm', usageMetadata: { promptTokenCount: 3 } }],
    content: [{ candidates: [{ content: { parts: [{ text: 'Hi' }] } }] }],
    failure: { error: { ...error, code: 503 } },
  },
}

function streamOf(protocol: Protocol, name: string): string {
  if (name === 'answers')
    return `${sse([chunk({ role: 'assistant', content: 'Here.' }), { ...chunk({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }])}data: [DONE]\n\n`
  const { opening, content, failure } = streams[protocol]!
  if (name === 'breaks-before-content') return sse(opening)
  return sse([...opening, ...(name === 'fails-after-content' ? content : []), failure])
}

const requests: Record<string, { path: string; body: object }> = {
  chat: { path: '/chat/completions', body: { messages: [{ role: 'user', content: 'Hi' }] } },
  responses: { path: '/responses', body: { input: 'Hi' } },
  messages: { path: '/messages', body: { max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] } },
}
const names = ['fails-before-content', 'breaks-before-content', 'fails-after-content', 'answers']

describe('streams that fail before their first content', () => {
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithUpstream((received) => {
      const { protocol, name } = parseRequest(received)
      return { status: 200, type: 'text/event-stream', body: streamOf(protocol, name) }
    }, names)
  })
  after(() => recorded[Symbol.asyncDispose]())
  const ask = (door: string, more: object) =>
    recorded.service.ask('POST', requests[door]!.path, { body: { ...requests[door]!.body, stream: true, ...more } })

  for (const door of Object.keys(requests))
    for (const protocol of Object.keys(streams)) {
      for (const name of names.slice(0, 2))
        test(`${door} on ${protocol}: ${name}, the next model answers`, async () => {
          const { status, text } = await ask(door, {
            models: [`${protocol}/${name}`, 'openai-chat/answers'],
            model: `${protocol}/${name}`,
          })
          assert.equal(status, 200, text)
          assert.match(text, /Here\./)
          assert.doesNotMatch(text, /Overloaded|too early/)
        })

      test(`${door} on ${protocol}: no other model, the status is an error`, async () => {
        const { status, text } = await ask(door, { model: `${protocol}/fails-before-content` })
        assert.ok([502, 503, 529].includes(status), `${status} ${text}`)
      })

      test(`${door} on ${protocol}: after content, the stream ends with the error`, async () => {
        const model = `${protocol}/fails-after-content`
        const { status, text } = await ask(door, { models: [model, 'openai-chat/answers'], model })
        assert.equal(status, 200)
        assert.match(text, /Hi/)
        assert.doesNotMatch(text, /Here\./)
      })
    }

  test('the record of the request has the failed attempt', async () => {
    const { service } = recorded
    const models = ['anthropic-messages/fails-before-content', 'openai-chat/answers']
    const { headers } = await ask('chat', { models, model: models[0] })
    const generation = await until(async () => {
      const { status, body } = await service.ask('GET', `/generation?id=${headers.get('x-generation-id')}`)
      return status === 200 ? body.data : undefined
    })
    assert.equal(generation.model, 'openai-chat/answers')
    const outcomes = generation.attempts.map(({ outcome }: { outcome: string }) => outcome)
    assert.deepEqual(outcomes, ['bad_gateway', 'answered'])
  })
})
