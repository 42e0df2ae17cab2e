import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import OpenAI from 'openai'
import { startTestService, type TestService } from '../harness/service/service.ts'

const model = 'signalbox/demo-embedding'

describe('embeddings for official clients', () => {
  let service: TestService
  let openai: OpenAI
  let openrouter: OpenRouter
  before(async () => {
    service = await startTestService()
    openai = new OpenAI({ apiKey: service.apiKey, baseURL: service.url, maxRetries: 0 })
    openrouter = new OpenRouter({
      apiKey: service.apiKey,
      serverURL: service.url,
      retryConfig: { strategy: 'none' },
    })
  })
  after(() => service[Symbol.asyncDispose]())

  test('openai: base64, its default, and floats are the same vectors, one for each input', async () => {
    const input = ['a cat sat', 'the cats sit', 'interest rates']
    const byDefault = await openai.embeddings.create({ model, input })
    const floats = await openai.embeddings.create({ model, input, encoding_format: 'float' })
    assert.deepEqual(
      byDefault.data.map(({ index, object, embedding }) => [index, object, embedding.length]),
      [0, 1, 2].map((index) => [index, 'embedding', 256]),
    )
    assert.deepEqual(
      byDefault.data.map(({ embedding }) => Array.from(embedding)),
      floats.data.map(({ embedding }) => embedding),
    )
    assert.equal(floats.model, model)
    assert.deepEqual({ ...floats.usage }, { prompt_tokens: 10, total_tokens: 10, cost: 0 })
    const [cat, cats, rates] = floats.data.map(({ embedding }) => embedding) as [number[], number[], number[]]
    const near = (other: number[]) => cat.reduce((sum, value, at) => sum + value * other[at]!, 0)
    assert.ok(near(cats) > near(rates))
  })

  test('openai: one text, token ids and dimensions', async () => {
    const { data } = await openai.embeddings.create({ model, input: 'Hi', dimensions: 8 })
    assert.deepEqual([data.length, data[0]!.embedding.length], [1, 8])
    const ids = await openai.embeddings.create({ model, input: [[1, 2, 3], [4]] })
    assert.deepEqual([ids.data.length, ids.usage.prompt_tokens], [2, 4])
    assert.equal((await openai.embeddings.create({ model, input: [1, 2, 3] })).data.length, 1)
  })

  test('openai: errors have their classes', async () => {
    await assert.rejects(openai.embeddings.create({ model: 'signalbox/demo', input: 'Hi' }), OpenAI.BadRequestError)
    await assert.rejects(openai.embeddings.create({ model: 'x/y', input: 'Hi' }), OpenAI.NotFoundError)
  })

  test('@openrouter/sdk: every form of input, with the cost', async () => {
    const inputs = ['Hi', ['Hi', 'there'], [1, 2], [[1], [2]], [{ content: [{ type: 'text' as const, text: 'Hi' }] }]]
    for (const input of inputs) {
      const response = await openrouter.embeddings.generate({
        requestBody: { model, input: input as string[], provider: { allowFallbacks: false } },
      })
      assert.ok(typeof response !== 'string')
      assert.equal(response.usage?.cost, 0)
      assert.equal(response.data.length, Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1)
      assert.match(response.id!, /^gen-/)
    }
    const encoded = await openrouter.embeddings.generate({
      requestBody: { model, input: 'Hi', encodingFormat: 'base64', dimensions: 3, inputType: 'search_query' },
    })
    assert.ok(typeof encoded !== 'string')
    assert.match(encoded.data[0]!.embedding as string, /^[A-Za-z0-9+/]{16}$/)
  })

  test('@openrouter/sdk: lists the models', async () => {
    const { data } = (await openrouter.embeddings.listModels()).result
    assert.ok(data.some(({ id }) => id === model))
    assert.ok(data.every(({ architecture }) => architecture.outputModalities.includes('embeddings')))
  })
  // The rate limit opens the circuit of the endpoint, so this is the last test.
  test('openai: a rate limit of the provider has its class', async () => {
    await assert.rejects(openai.embeddings.create({ model, input: 'demo:error=429' }), OpenAI.RateLimitError)
  })
})
