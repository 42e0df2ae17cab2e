import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import OpenAI, {
  type APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  RateLimitError,
} from 'openai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import OpenAI6 from 'openai-v6'
import { z } from 'zod'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

const weather = {
  name: 'weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
const chatTool = { type: 'function' as const, function: weather }
const responsesTool = { type: 'function' as const, strict: true, ...weather }
const Person = z.object({ name: z.string(), age: z.number(), hobbies: z.array(z.string()) })
const model = 'signalbox/demo'
const userMessage = (content: string) => [{ role: 'user' as const, content }]

/** The two versions differ in types only as far as these tests go. */
for (const [version, Client] of [
  ['7', OpenAI],
  ['6', OpenAI6 as unknown as typeof OpenAI],
] as const) {
  describe(`openai v${version}, completions`, () => {
    let service: TestService
    let openai: OpenAI
    before(async () => {
      service = await startTestService()
      openai = new Client({ apiKey: service.apiKey, baseURL: service.url, maxRetries: 0 })
    })
    after(() => service[Symbol.asyncDispose]())

    test('chat: whole', async () => {
      const completion = await openai.chat.completions.create({ model, messages: userMessage('demo:words=3') })
      assert.equal(completion.choices[0]?.message.content, 'word1 word2 word3')
      assert.equal(completion.usage?.completion_tokens, 3)
    })

    test('chat: streamed, with usage', async () => {
      const stream = await openai.chat.completions.create({
        model,
        messages: userMessage('demo:words=3'),
        stream: true,
        stream_options: { include_usage: true },
      })
      let text = ''
      let total = 0
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? ''
        total = chunk.usage?.total_tokens ?? total
      }
      assert.equal(text, 'word1 word2 word3')
      assert.ok(total > 3)
    })

    test('chat: tools, called and answered', async () => {
      const messages: OpenAI.ChatCompletionMessageParam[] = userMessage('demo:tool')
      const first = await openai.chat.completions.create({ model, messages, tools: [chatTool] })
      const [call] = first.choices[0]!.message.tool_calls!
      assert.ok(call?.type === 'function' && first.choices[0]?.finish_reason === 'tool_calls')
      assert.deepEqual(JSON.parse(call.function.arguments), { city: 'demo city' })
      messages.push(first.choices[0]!.message, { role: 'tool', tool_call_id: call.id, content: 'sunny' })
      const second = await openai.chat.completions.create({ model, messages, tools: [chatTool] })
      assert.equal(second.choices[0]?.message.content, 'The tool answered: sunny')
    })

    test('chat: the stream helper puts tool calls together', async () => {
      const stream = openai.chat.completions.stream({ model, messages: userMessage('demo:tools'), tools: [chatTool] })
      const completion = await stream.finalChatCompletion()
      const call = completion.choices[0]?.message.tool_calls?.[0]
      assert.deepEqual(call?.type === 'function' && JSON.parse(call.function.arguments), { city: 'demo city' })
    })

    test('chat: structured output, parsed by its schema', async () => {
      const completion = await openai.chat.completions.parse({
        model,
        messages: userMessage('Who?'),
        response_format: zodResponseFormat(Person, 'person'),
      })
      assert.deepEqual(completion.choices[0]?.message.parsed, { name: 'demo name', age: 1, hobbies: ['demo hobbies'] })
    })

    test('responses: whole', async () => {
      const response = await openai.responses.create({ model, input: 'demo:words=3', instructions: 'Be brief.' })
      assert.deepEqual([response.status, response.output_text], ['completed', 'word1 word2 word3'])
      assert.equal(response.instructions, 'Be brief.')
      assert.equal(response.usage?.output_tokens, 3)
    })

    test('responses: streamed, event by event', async () => {
      const stream = await openai.responses.create({ model, input: 'demo:reasoning demo:words=2', stream: true })
      const types: string[] = []
      let next = 0
      for await (const event of stream) {
        assert.equal(event.sequence_number, next++)
        if (types.at(-1) !== event.type) types.push(event.type)
      }
      assert.deepEqual(types.slice(0, 3), ['response.created', 'response.in_progress', 'response.output_item.added'])
      assert.ok(types.includes('response.reasoning_summary_text.delta'))
      assert.ok(types.includes('response.output_text.delta'))
      assert.equal(types.at(-1), 'response.completed')
    })

    test('responses: the stream helper puts text, thoughts and calls together', async () => {
      const stream = openai.responses.stream({ model, input: 'demo:reasoning demo:tools', tools: [responsesTool] })
      const { output } = await stream.finalResponse()
      assert.deepEqual(
        output.map(({ type }) => type),
        ['reasoning', 'function_call'],
      )
      assert.ok(output[1]?.type === 'function_call')
      assert.deepEqual(output[1].parsed_arguments, { city: 'demo city' })
    })

    test('responses: a tool called and answered, with the output sent back as it came', async () => {
      const input: OpenAI.Responses.ResponseInput = userMessage('demo:reasoning demo:tool')
      const first = await openai.responses.create({ model, input, tools: [responsesTool] })
      const call = first.output.find((item) => item.type === 'function_call')!
      const result = { type: 'function_call_output' as const, call_id: call.call_id, output: 'sunny' }
      const second = await openai.responses.create({
        model,
        input: [...input, ...first.output, result] as OpenAI.Responses.ResponseInput,
        tools: [responsesTool],
      })
      assert.equal(second.output_text, 'The tool answered: sunny')
    })

    test('responses: structured output, parsed by its schema', async () => {
      const response = await openai.responses.parse({
        model,
        input: 'Who?',
        text: { format: zodTextFormat(Person, 'person') },
      })
      assert.deepEqual(response.output_parsed, { name: 'demo name', age: 1, hobbies: ['demo hobbies'] })
    })

    test('responses: a response cut at its limit is incomplete', async () => {
      const { status, incomplete_details } = await openai.responses.create({ model, input: 'demo:length' })
      assert.deepEqual([status, incomplete_details], ['incomplete', { reason: 'max_output_tokens' }])
    })

    test('responses: a stream that breaks off ends as a failed response', async () => {
      const stream = openai.responses.stream({ model, input: 'demo:break' })
      const { status, error } = await stream.finalResponse()
      assert.deepEqual([status, error?.code], ['failed', 'server_error'])
    })

    test('chat: a stream that breaks off throws', async () => {
      const stream = await openai.chat.completions.create({ model, messages: userMessage('demo:break'), stream: true })
      await assert.rejects(async () => {
        for await (const _chunk of stream);
      }, Error)
    })

    test('models: the list, and one of them', async () => {
      const listed = (await openai.models.list()).data.map(({ id }) => id)
      assert.ok(listed.includes(model))
      const { id, object, owned_by } = await openai.models.retrieve(model)
      assert.deepEqual([id, object, owned_by], [model, 'model', model.split('/')[0]])
      await assert.rejects(openai.models.retrieve('no/such'), { status: 404 })
    })

    test('errors have their status', async () => {
      await using own = await startTestService()
      const client = new Client({ apiKey: own.apiKey, baseURL: own.url, maxRetries: 0 })
      const stranger = new Client({ apiKey: 'sk-no', baseURL: own.url, maxRetries: 0 })
      const ask = (body: object) =>
        client.chat.completions.create({ model, messages: userMessage('Hi'), ...body } as never)
      const status = (expected: number) => (error: unknown) =>
        (error as APIError).status === expected && (error as Error).message.startsWith(String(expected))
      await assert.rejects(ask({ messages: [] }), status(400))
      await assert.rejects(ask({ model: 'no/such' }), status(404))
      await assert.rejects(stranger.models.list(), status(401))
      await assert.rejects(client.responses.create({ model, input: 'Hi', previous_response_id: 'resp_1' }), status(400))
      await assert.rejects(ask({ messages: userMessage('demo:error=500') }), status(502))
      await assert.rejects(client.responses.create({ model, input: 'demo:error=429', stream: true }), status(429))
    })

    test('an abort ends the stream', async () => {
      const stream = await openai.chat.completions.create({
        model,
        messages: userMessage('demo:pace=20 demo:words=500'),
        stream: true,
      })
      let chunks = 0
      const read = async () => {
        for await (const _chunk of stream) if (++chunks === 3) stream.controller.abort()
      }
      await read().catch((error) => assert.ok(error instanceof Error))
      assert.ok(chunks < 10)
    })
  })
}

test('openai v7 distinguishes the errors by class', async () => {
  await using service = await startTestService()
  const openai = new OpenAI({ apiKey: service.apiKey, baseURL: service.url, maxRetries: 0 })
  const ask = (body: object) => openai.chat.completions.create({ model, messages: userMessage('Hi'), ...body } as never)
  await assert.rejects(ask({ messages: [] }), BadRequestError)
  await assert.rejects(ask({ model: 'no/such' }), NotFoundError)
  const stranger = new OpenAI({ apiKey: 'sk-no', baseURL: service.url, maxRetries: 0 })
  await assert.rejects(stranger.models.list(), AuthenticationError)
  const leave = new AbortController()
  const slow = openai.responses.create({ model, input: 'demo:slow=5000' }, { signal: leave.signal })
  setTimeout(() => leave.abort(), 50)
  await assert.rejects(slow, APIUserAbortError)
  await assert.rejects(ask({ messages: userMessage('demo:error=429') }), RateLimitError)
})
