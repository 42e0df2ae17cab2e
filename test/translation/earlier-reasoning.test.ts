import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { OpenRouter } from '@openrouter/sdk'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'
import { type RecordedProviders, startWithUpstream } from '../harness/upstream/recorded-providers.ts'
import { parseRequest } from '../harness/upstream/scripted-upstream.ts'

const thought = 'I have to look.'
const weather = tool({
  description: 'Get the weather.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
})
const call = {
  index: 0,
  id: 'call_a',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Rome"}' },
}

/** Servers, by the field in which they write the reasoning and want it back. */
const members: Record<string, object> = {
  reasoning: { reasoning: thought },
  reasoning_content: { reasoning_content: thought },
  reasoning_details: { reasoning_details: [{ type: 'reasoning.text', text: thought, format: 'unknown', index: 0 }] },
}

/** Refuses a request whose responses with tool calls lack the reasoning, as Kimi and DeepSeek do. */
function isRefused(name: string, messages: any[]): boolean {
  const returned = (message: any) =>
    name === 'reasoning_details' ? message.reasoning_details?.map(({ text }: any) => text).join('') : message[name]
  return messages.some((message) => message.tool_calls && returned(message) !== thought)
}

function respondTo({ body, ...received }: Parameters<typeof parseRequest>[0]) {
  const { name, streamed } = parseRequest({ body, ...received })
  const { messages } = body
  if (isRefused(name, messages)) {
    const message = 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1'
    return { status: 400, type: 'application/json', body: JSON.stringify({ error: { message } }) }
  }
  const isLast = messages.at(-1).role === 'tool'
  const fields = isLast ? { content: 'Sunny.' } : { ...members[name], content: null, tool_calls: [call] }
  const shared = { id: 'c', created: 1, model: name }
  const finish_reason = isLast ? 'stop' : 'tool_calls'
  if (!streamed) {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    const choices = [{ index: 0, message: { role: 'assistant', ...fields }, finish_reason }]
    const whole = { ...shared, object: 'chat.completion', choices, usage }
    return { status: 200, type: 'application/json', body: JSON.stringify(whole) }
  }
  const { tool_calls, content, ...thoughts } = fields as Record<string, unknown>
  const deltas = [{ role: 'assistant', content: '' }, ...inPieces(thoughts), tool_calls ? { tool_calls } : { content }]
  const chunks = [
    ...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
    { index: 0, delta: {}, finish_reason },
  ]
  const events = chunks.map((choice) =>
    JSON.stringify({ ...shared, object: 'chat.completion.chunk', choices: [choice] }),
  )
  return {
    status: 200,
    type: 'text/event-stream',
    body: [...events, '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
  }
}

function inPieces(thoughts: object): object[] {
  const text = JSON.stringify(thoughts)
  return text === '{}' ? [] : ['I have', ' to', ' look.'].map((piece) => JSON.parse(text.replace(thought, piece)))
}

describe('the reasoning of a chat upstream', () => {
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithUpstream(respondTo, Object.keys(members))
  })
  after(() => recorded[Symbol.asyncDispose]())

  const ask = async (path: string, body: object) => {
    const reply = await recorded.service.ask('POST', path, { body })
    assert.equal(reply.status, 200, reply.text)
    return reply
  }

  for (const name of Object.keys(members)) {
    const model = `openai-chat/${name}`
    for (const streamed of [true, false])
      test(`${name}: the AI SDK provider reads and returns it, ${streamed ? 'streamed' : 'whole'}`, async () => {
        const { service } = recorded
        const router = createOpenRouter({ apiKey: service.apiKey, baseURL: service.url })
        const request = { model: router(model), prompt: 'Weather?', tools: { weather }, stopWhen: stepCountIs(2) }
        const { steps } = streamed ? await streamedSteps(request) : await generateText(request)
        assert.equal(steps[0]!.reasoningText, thought)
        assert.equal(steps[1]!.text, 'Sunny.')
      })

    test(`${name}: @openrouter/sdk shows it and sends it back`, async () => {
      const { service } = recorded
      const client = new OpenRouter({ apiKey: service.apiKey, serverURL: service.url })
      const user = { role: 'user' as const, content: 'Weather?' }
      const send = (messages: object[]) =>
        client.chat.send({ chatRequest: { model, messages, stream: false } as never })
      const first = (await send([user])) as any
      const [{ message }] = first.choices
      assert.equal(message.reasoning, thought)
      const result = { role: 'tool', toolCallId: 'call_a', content: 'sunny' }
      const second = (await send([user, message, result])) as any
      assert.equal(second.choices[0].message.content, 'Sunny.')
    })

    test(`${name}: a messages client gets it as a thinking block and sends it back`, async () => {
      const user = { role: 'user', content: 'Weather?' }
      const request = { model, max_tokens: 99, messages: [user] }
      const { content } = (await ask('/messages', request)).body
      assert.equal(content[0].thinking, thought)
      const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_a', content: 'sunny' }] }
      const messages = [user, { role: 'assistant', content }, result]
      assert.equal((await ask('/messages', { ...request, messages })).body.content[0].text, 'Sunny.')
    })

    test(`${name}: a responses client gets it as a reasoning item and sends it back`, async () => {
      const user = { role: 'user', content: 'Weather?' }
      const { output } = (await ask('/responses', { model, input: [user] })).body
      assert.equal(output[0].summary[0].text, thought)
      const result = { type: 'function_call_output', call_id: 'call_a', output: 'sunny' }
      const second = await ask('/responses', { model, input: [user, ...output, result] })
      assert.equal(second.body.output[0].content[0].text, 'Sunny.')
    })
  }
})

async function streamedSteps(request: Parameters<typeof streamText>[0]) {
  const { steps } = streamText(request)
  return { steps: await steps }
}
