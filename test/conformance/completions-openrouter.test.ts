import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

const model = 'signalbox/demo'
const userMessage = (content: string) => [{ role: 'user' as const, content }]
const weather = { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }

describe('@openrouter/sdk, completions', () => {
  let service: TestService
  let router: OpenRouter
  before(async () => {
    service = await startTestService({ settings: { dialect: 'openrouter' } })
    router = new OpenRouter({ apiKey: service.apiKey, serverURL: service.url, retryConfig: { strategy: 'none' } })
  })
  after(() => service[Symbol.asyncDispose]())

  test('chat.send: whole, with thoughts and usage', async () => {
    const response = await router.chat.send({
      chatRequest: { model, messages: userMessage('demo:reasoning demo:words=3') },
    })
    assert.ok('choices' in response)
    assert.equal(response.choices[0]?.message.content, 'word1 word2 word3')
    assert.match(response.choices[0]?.message.reasoning ?? '', /^I think/)
    assert.equal(response.usage?.completionTokens, 12)
  })

  test('chat.send: streamed, with usage on the last chunk', async () => {
    const stream = await router.chat.send({
      chatRequest: { model, messages: userMessage('demo:words=3'), stream: true },
    })
    assert.ok(!('choices' in stream))
    let text = ''
    let tokens: number | undefined
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      tokens = chunk.usage?.completionTokens ?? tokens
    }
    assert.deepEqual([text, tokens], ['word1 word2 word3', 3])
  })

  test('chat.send: tools and structured output', async () => {
    const tools = [{ type: 'function' as const, function: weather }]
    const called = await router.chat.send({ chatRequest: { model, messages: userMessage('demo:tool'), tools } })
    assert.ok('choices' in called)
    assert.equal(called.choices[0]?.message.toolCalls?.[0]?.function.arguments, '{"city":"demo city"}')
    const jsonSchema = { name: 'x', schema: { type: 'object', properties: { a: { type: 'integer' } } } }
    const shaped = await router.chat.send({
      chatRequest: { model, messages: userMessage('Hi'), responseFormat: { type: 'json_schema', jsonSchema } },
    })
    assert.ok('choices' in shaped)
    assert.equal(shaped.choices[0]?.message.content, '{"a":1}')
  })

  test('beta.responses.send: whole', async () => {
    const response = await router.beta.responses.send({
      responsesRequest: { model, input: 'demo:reasoning demo:words=3', instructions: 'Be brief.' },
    })
    assert.ok('output' in response)
    assert.equal(response.status, 'completed')
    assert.equal(response.usage?.outputTokens, 12)
  })

  test('beta.responses.send: streamed, every event valid', async () => {
    const tools = [{ type: 'function' as const, ...weather, strict: false }]
    const stream = await router.beta.responses.send({
      responsesRequest: { model, input: 'demo:reasoning demo:tools', tools, stream: true },
    })
    assert.ok(!('output' in stream))
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    assert.equal(types.at(0), 'response.created')
    assert.ok(types.includes('response.function_call_arguments.done'))
    assert.equal(types.at(-1), 'response.completed')
  })

  test('an unknown model is reported as not found', async () => {
    const asking = router.chat.send({ chatRequest: { model: 'no/such', messages: userMessage('Hi') } })
    await assert.rejects(asking, (error) => (error as { statusCode?: number }).statusCode === 404)
  })
})
