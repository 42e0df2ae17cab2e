import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  system_fingerprint: null,
  choices: [{ index: 0, delta: { role: null, tool_calls: null, ...delta }, finish_reason, logprobs: null }],
  usage: null,
})
const chunks = [
  chunk({ content: 'a' }),
  chunk({ content: 'b' }),
  chunk({}, 'stop'),
  { ...chunk({}), choices: [], usage },
]
const message = { content: 'ab', tool_calls: null, images: null }
const whole = { id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: null }

describe('@openrouter/sdk reads the responses of servers with null in optional fields', () => {
  let world: RecordedProviders
  before(async () => {
    world = await startWithUpstream(
      ({ body: { stream } }) =>
        stream
          ? {
              status: 200,
              type: 'text/event-stream',
              body: [...chunks.map((one) => JSON.stringify(one)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
            }
          : { status: 200, type: 'application/json', body: JSON.stringify(whole) },
      ['m'],
    )
  })
  after(() => world[Symbol.asyncDispose]())
  const router = () =>
    new OpenRouter({
      apiKey: world.service.apiKey,
      serverURL: world.service.url,
      retryConfig: { strategy: 'none' },
    })
  const chatRequest = { model: 'openai-chat/m', messages: [{ role: 'user' as const, content: 'Hi' }] }

  test('streamed', async () => {
    const stream = await router().chat.send({ chatRequest: { ...chatRequest, stream: true } })
    assert.ok(!('choices' in stream))
    let text = ''
    let tokens: number | undefined
    for await (const { choices, usage: counted } of stream) {
      text += choices[0]?.delta.content ?? ''
      tokens = counted?.totalTokens ?? tokens
    }
    assert.deepEqual([text, tokens], ['ab', 3])
  })

  test('whole', async () => {
    const response = await router().chat.send({ chatRequest })
    assert.ok('choices' in response)
    assert.equal(response.choices[0]?.message.content, 'ab')
  })
})
