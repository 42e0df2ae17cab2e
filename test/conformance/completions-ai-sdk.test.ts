import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOpenRouter, type OpenRouterProvider } from '@openrouter/ai-sdk-provider'
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { type RecordedProviders, startWithRecordings } from '#test/harness/upstream/recorded-providers.ts'

const weather = tool({
  description: 'Returns the weather.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
})
const Person = z.object({ name: z.string(), age: z.number() })

describe('ai with @openrouter/ai-sdk-provider, thoughts', () => {
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithRecordings()
  })
  after(() => recorded[Symbol.asyncDispose]())

  /** The request after the first tool call. The client stores and returns the reasoning by itself. */
  async function secondRequest(name: string, streamed: boolean) {
    const { service, upstream } = recorded
    const router = createOpenRouter({ apiKey: service.apiKey, baseURL: service.url })
    const ask = { model: router(name), prompt: 'Weather?', tools: { weather }, stopWhen: stepCountIs(2) }
    if (streamed) await streamText(ask).consumeStream()
    else await generateText(ask)
    return upstream.requests.at(-1)!.body
  }

  for (const streamed of [true, false]) {
    const how = streamed ? 'streamed' : 'whole'
    test(`Claude sees its thoughts again, ${how}`, async () => {
      const { messages } = await secondRequest('anthropic-messages/thinking-tools', streamed)
      assert.deepEqual(messages[1].content.slice(0, 2), [
        { type: 'thinking', thinking: 'Hmm, so.', signature: 'EqQBCgIYAhIM-signed' },
        { type: 'redacted_thinking', data: 'EmwKAhgB-redacted' },
      ])
    })

    test(`Gemini sees its signature again, ${how}`, async () => {
      const { contents } = await secondRequest('google-gemini/thinking-tools', streamed)
      const called = contents[1].parts.find((part: { functionCall?: object }) => part.functionCall)
      assert.equal(called.thoughtSignature, 'CikB-signed')
    })
  }
})

describe('ai with @openrouter/ai-sdk-provider, completions', () => {
  let service: TestService
  let router: OpenRouterProvider
  before(async () => {
    service = await startTestService()
    router = createOpenRouter({ apiKey: service.apiKey, baseURL: service.url })
  })
  after(() => service[Symbol.asyncDispose]())

  test('generateText', async () => {
    const { text, usage, finishReason } = await generateText({
      model: router('signalbox/demo'),
      prompt: 'demo:words=3',
    })
    assert.deepEqual([text, usage.outputTokens, finishReason], ['word1 word2 word3', 3, 'stop'])
  })

  test('streamText, with thoughts and usage', async () => {
    const result = streamText({ model: router('signalbox/demo'), prompt: 'demo:reasoning demo:words=3' })
    let text = ''
    for await (const piece of result.textStream) text += piece
    assert.equal(text, 'word1 word2 word3')
    assert.equal(await result.reasoningText, 'I think about what was said before I answer.')
    assert.equal((await result.usage).outputTokens, 12)
  })

  test('tools are called and answered, whole and streamed', async () => {
    const ask = { model: router('signalbox/demo'), prompt: 'demo:tool', tools: { weather }, stopWhen: stepCountIs(3) }
    const { text, steps } = await generateText(ask)
    assert.match(text, /The tool answered: "?sunny in demo city/)
    assert.equal(steps.length, 2)
    assert.match(await streamText(ask).text, /The tool answered: "?sunny in demo city/)
  })

  test('structured output', async () => {
    const { output } = await generateText({
      model: router('signalbox/demo'),
      prompt: 'Who?',
      output: Output.object({ schema: Person }),
    })
    assert.deepEqual(output, { name: 'demo name', age: 1 })
  })

  test('an error has its status and message', async () => {
    const failing = generateText({ model: router('no/such'), prompt: 'Hi', maxRetries: 0 })
    await assert.rejects(failing, (error) => APICallError.isInstance(error) && error.statusCode === 404)
  })

  test('a stream that breaks off ends with an error', async () => {
    const errors: unknown[] = []
    const broken = streamText({
      model: router('signalbox/demo'),
      prompt: 'demo:break',
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    })
    await broken.consumeStream()
    assert.equal(errors.length, 1)
  })
})
