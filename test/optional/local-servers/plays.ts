import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { TestService } from '#test/harness/service/service.ts'
import { type Behaviour, contextTokens } from './servers.ts'

type ServerWorld = {
  service: Pick<TestService, 'url' | 'apiKey' | 'ask'>
  /** The model behind the gateway, and behind a provider whose key the server refuses. */
  model: string
  refusedModel: string
  /** The server without the gateway. */
  server: { url: string; key: string }
}

const text = 'Hello! I am a tiny model 😀 and glad to meet you. Grüße aus Köln.'
const user = (content: string) => [{ role: 'user' as const, content }]
const hello = user('Hello')

const parameters = {
  type: 'object' as const,
  properties: { city: { type: 'string', enum: ['Paris', 'Rome'] } },
  required: ['city'],
  additionalProperties: false,
}
const name = 'get_weather'
const chatTool = { type: 'function' as const, function: { name, parameters } }
const rome = { city: 'Rome' }

const openai = ({ service }: ServerWorld) => new OpenAI({ baseURL: service.url, apiKey: service.apiKey, maxRetries: 0 })
const anthropic = ({ service }: ServerWorld) =>
  new Anthropic({ baseURL: service.url.replace(/\/v1$/, ''), apiKey: service.apiKey, maxRetries: 0 })

/** The token counts of a direct request, which the gateway must report. */
async function directUsage({ server }: ServerWorld) {
  const direct = new OpenAI({ baseURL: server.url, apiKey: server.key })
  const { usage } = await direct.chat.completions.create({ model: 'tiny', messages: hello, max_tokens: 50 })
  return [usage!.prompt_tokens, usage!.completion_tokens]
}

export const plays: Record<Behaviour, (world: ServerWorld) => Promise<void>> = {
  async 'whole responses with usage'(world) {
    const { model } = world
    const expected = [text, ...(await directUsage(world))]
    const chat = await openai(world).chat.completions.create({ model, messages: hello, max_tokens: 50 })
    const { message, finish_reason } = chat.choices[0]!
    assert.deepEqual([message.content, chat.usage!.prompt_tokens, chat.usage!.completion_tokens], expected)
    assert.equal(finish_reason, 'stop')
    const response = await openai(world).responses.create({ model, input: 'Hello', max_output_tokens: 50 })
    assert.deepEqual([response.output_text, response.usage!.input_tokens, response.usage!.output_tokens], expected)
    const reply = await anthropic(world).messages.create({ model, messages: hello, max_tokens: 50 })
    assert.deepEqual([textOf(reply), totalInput(reply.usage), reply.usage.output_tokens], expected)
    assert.equal(reply.stop_reason, 'end_turn')
  },

  async 'streams with usage'(world) {
    const { model } = world
    const expected = [text, ...(await directUsage(world))]
    const options = { model, messages: hello, max_tokens: 50, stream_options: { include_usage: true } }
    const chat = await openai(world).chat.completions.stream(options).finalChatCompletion()
    const content = chat.choices[0]!.message.content
    assert.deepEqual([content, chat.usage!.prompt_tokens, chat.usage!.completion_tokens], expected)
    const response = await openai(world)
      .responses.stream({ model, input: 'Hello', max_output_tokens: 50 })
      .finalResponse()
    assert.deepEqual([response.output_text, response.usage!.input_tokens, response.usage!.output_tokens], expected)
    const reply = await anthropic(world).messages.stream({ model, messages: hello, max_tokens: 50 }).finalMessage()
    assert.deepEqual([textOf(reply), totalInput(reply.usage), reply.usage.output_tokens], expected)
  },

  async 'responses cut at the token limit'(world) {
    const { model } = world
    const messages = user('Please sing')
    const chat = await openai(world).chat.completions.create({ model, messages, max_tokens: 20 })
    assert.deepEqual([chat.choices[0]!.finish_reason, chat.usage!.completion_tokens], ['length', 20])
    const response = await openai(world).responses.create({ model, input: 'Please sing', max_output_tokens: 20 })
    assert.deepEqual([response.status, response.incomplete_details?.reason], ['incomplete', 'max_output_tokens'])
    const reply = await anthropic(world).messages.stream({ model, messages, max_tokens: 20 }).finalMessage()
    assert.equal(reply.stop_reason, 'max_tokens')
  },

  async 'stop sequences'(world) {
    const { model } = world
    const chat = await openai(world).chat.completions.create({ model, messages: hello, max_tokens: 50, stop: ['tiny'] })
    assert.deepEqual([chat.choices[0]!.message.content, chat.choices[0]!.finish_reason], ['Hello! I am a ', 'stop'])
    const options = { model, messages: hello, max_tokens: 50, stop_sequences: ['tiny'] }
    const reply = await anthropic(world).messages.stream(options).finalMessage()
    assert.equal(textOf(reply), 'Hello! I am a ')
  },

  async 'tool calls and their results'(world) {
    const { model } = world
    const messages = user('What is the weather?')
    const options = { model, messages, max_tokens: 200, tools: [chatTool] }
    const whole = await openai(world).chat.completions.create(options)
    const streamed = await openai(world).chat.completions.stream(options).finalChatCompletion()
    for (const { choices } of [whole, streamed]) {
      const [call, ...more] = choices[0]!.message.tool_calls ?? []
      assert.ok(call?.type === 'function' && more.length === 0)
      assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], [name, rome])
      assert.equal(choices[0]!.finish_reason, 'tool_calls')
    }
    const { message } = whole.choices[0]!
    const result = { role: 'tool' as const, tool_call_id: message.tool_calls![0]!.id, content: '20 degrees' }
    const after = await openai(world).chat.completions.create({ ...options, messages: [...messages, message, result] })
    assert.equal(after.choices[0]!.message.content, 'It is 20 degrees in Rome.')
    const tools = [{ name, input_schema: parameters }]
    const reply = await anthropic(world).messages.stream({ model, messages, max_tokens: 200, tools }).finalMessage()
    const uses = reply.content.filter((block) => block.type === 'tool_use')
    assert.deepEqual([uses[0]?.name, uses[0]?.input, uses.length, reply.stop_reason], [name, rome, 1, 'tool_use'])
  },

  async 'forced tool'(world) {
    const { choices } = await openai(world).chat.completions.create({
      ...{ model: world.model, messages: user('What is the weather?'), max_tokens: 200, tools: [chatTool] },
      tool_choice: { type: 'function', function: { name } },
    })
    const [call] = choices[0]!.message.tool_calls ?? []
    assert.ok(call?.type === 'function')
    assert.equal(call.function.name, name)
    assert.ok(['Paris', 'Rome'].includes(JSON.parse(call.function.arguments).city))
  },

  async 'JSON schema'(world) {
    const { choices } = await openai(world).chat.completions.create({
      ...{ model: world.model, messages: user('Response in json'), max_tokens: 300 },
      response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: parameters } },
    })
    assert.deepEqual(JSON.parse(choices[0]!.message.content!), { city: 'Paris' })
  },

  async 'too long prompts'({ service, model }) {
    for (const words of [contextTokens * 1.2, contextTokens * 4]) {
      const messages = user('word '.repeat(words))
      for (const stream of [false, true]) {
        const { status, body } = await service.ask('POST', '/chat/completions', { body: { model, messages, stream } })
        assert.deepEqual([status, body?.error?.metadata?.code ?? body?.error?.code], [400, 'context_length_exceeded'])
      }
    }
  },

  async 'clients that leave a stream'(world) {
    for (let times = 0; times < 5; times++) {
      const options = { model: world.model, messages: user('Please sing'), max_tokens: 1500, stream: true as const }
      for await (const { choices } of await openai(world).chat.completions.create(options))
        if (choices[0]?.delta.content) break
    }
    const response = await openai(world).chat.completions.create({
      model: world.model,
      messages: hello,
      max_tokens: 50,
    })
    assert.equal(response.choices[0]!.message.content, text)
  },

  async 'thirty responses in a row'({ service, model }) {
    for (let number = 0; number < 30; number++) {
      const body = { model, messages: hello, max_tokens: 50, stream: number % 2 === 0 }
      const { status, text } = await service.ask('POST', '/chat/completions', { body })
      assert.equal(status, 200, `${number}: ${text}`)
    }
  },

  async 'refused key'({ service, refusedModel }) {
    const body = { model: refusedModel, messages: hello }
    const { status, text } = await service.ask('POST', '/chat/completions', { body })
    assert.equal(status, 502, text)
    assert.match(text, /credential|key/)
  },
}

const textOf = ({ content }: Anthropic.Message) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')

/** Anthropic counts tokens read from a cache apart. */
const totalInput = ({ input_tokens, cache_read_input_tokens, cache_creation_input_tokens }: Anthropic.Usage) =>
  input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0)
