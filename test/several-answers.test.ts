import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type RecordedProviders, startWithUpstream, upstreamProtocols } from './harness/recorded-providers.ts'

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
const choices = ['one', 'two'].map((content, index) => ({ index, message: { role: 'assistant', content } }))
const whole = { choices: choices.map((choice) => ({ ...choice, finish_reason: 'stop' })), usage }
const streamed = [
  ...choices.map(({ index, message: delta }) => ({ choices: [{ index, delta, finish_reason: null }] })),
  ...choices.map(({ index }) => ({ choices: [{ index, delta: {}, finish_reason: 'stop' }] })),
  { choices: [], usage },
]

describe('a request for more than one answer', () => {
  let world: RecordedProviders
  before(async () => {
    world = await startWithUpstream(
      ({ body: { stream } }) =>
        stream
          ? {
              status: 200,
              type: 'text/event-stream',
              body: [...streamed.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((d) => `data: ${d}\n\n`).join(''),
            }
          : { status: 200, type: 'application/json', body: JSON.stringify(whole) },
      ['m'],
    )
  })
  after(() => world[Symbol.asyncDispose]())
  const messages = [{ role: 'user', content: 'Hi' }]
  const chat = (body: object) => world.service.ask('POST', '/chat/completions', { body: { messages, ...body } })

  test('is passed on to a provider of chats, and all its answers reach the client, in a stream too', async () => {
    const { body } = await chat({ model: 'openai-chat/m', n: 2 })
    assert.deepEqual(
      body.choices.map(({ message }: { message: { content: string } }) => message.content),
      ['one', 'two'],
    )
    const { text } = await chat({ model: 'openai-chat/m', n: 2, stream: true })
    assert.match(text, /"one".*"two".*"stop".*"stop".*\[DONE\]/s)
    assert.equal(world.upstream.requests.at(-1)!.body.n, 2)
  })

  test('is refused with 400 where a provider would give one of them, and nobody is asked', async () => {
    const asked = world.upstream.requests.length
    for (const protocol of upstreamProtocols.filter((protocol) => protocol !== 'openai-chat')) {
      const { status, body } = await chat({ model: `${protocol}/m`, n: 2 })
      assert.deepEqual([status, /^n: no endpoint /.test(body.error.message)], [400, true], protocol)
      assert.equal(body.error.metadata.excluded[0].reason, 'one_answer')
    }
    const told = await world.service.ask('POST', '/responses', { body: { model: 'openai-chat/m', input: 'Hi', n: 2 } })
    assert.equal(told.status, 400, told.text)
    assert.equal(world.upstream.requests.length, asked)
  })

  test('goes by the endpoints that would give one to one that gives all', async () => {
    const models = ['anthropic-messages/m', 'openai-chat/m']
    const { status, body } = await chat({ models, n: 2 })
    assert.deepEqual([status, body.choices?.length], [200, 2])
  })

  test('for one is answered by all', async () => {
    for (const protocol of upstreamProtocols) {
      const { body } = await chat({ model: `${protocol}/m`, n: 1 })
      assert.notEqual(body.error?.code, 400, protocol)
    }
  })
})
