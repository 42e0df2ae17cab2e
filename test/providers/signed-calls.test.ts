import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SseReader } from '#platform/net/sse.ts'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { parseRequest } from '#test/harness/upstream/scripted-upstream.ts'

const args = '{"path":"a"}'
const called = { name: 'read', arguments: args }
const start = { index: 0, id: 'call_a', type: 'function', function: { name: 'read', arguments: '' } }
const rest = { index: 0, function: { arguments: args } }
const google = { extra_content: { google: { thought_signature: 'SIG' } } }
const vertex = { extra_content: { vertex: { thought_signature: 'SIG' } } }
const litellm = { provider_specific_fields: { thought_signature: 'SIG' } }

/** The pieces of one call, and the fields that the call must have when it is sent back. */
const responses: Record<string, { pieces: object[]; members: object }> = {
  first: { pieces: [{ ...start, ...google }, rest], members: google },
  vertex: { pieces: [{ ...start, ...vertex }, rest], members: vertex },
  later: { pieces: [start, { ...rest, ...google }], members: google },
  alone: { pieces: [start, rest, { index: 0, ...vertex }], members: vertex },
  repeated: {
    pieces: [
      { ...start, ...google },
      { ...rest, ...google },
    ],
    members: google,
  },
  nameless: { pieces: [{ index: 0, function: called, ...google }], members: google },
  unnumbered: { pieces: [{ type: 'function', function: called, ...vertex }], members: vertex },
  litellm: { pieces: [{ ...start, ...litellm }, rest], members: litellm },
  'in-function': {
    pieces: [{ ...start, function: { ...called, ...litellm } }],
    members: litellm,
  },
  direct: { pieces: [{ ...start, thought_signature: 'SIG' }, rest], members: { thought_signature: 'SIG' } },
}

const event = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

const streamed = (deltas: object[], reason: string) =>
  `${deltas.map((delta) => event(delta)).join('')}${event({}, reason)}data: [DONE]\n\n`

const question = { role: 'user' as const, content: 'Hi' }

/** Clients that return only the fields that their protocol has. */
const clients = {
  async chat(recorded: RecordedProviders, model: string) {
    const deltas = await streamOf(recorded, '/chat/completions', { messages: [question], model })
    const message: any = { role: 'assistant', content: '', reasoning_details: [], tool_calls: [] }
    for (const { choices } of deltas)
      for (const { delta } of choices) {
        message.content += delta.content ?? ''
        message.reasoning_details.push(...(delta.reasoning_details ?? []))
        for (const { index, id, function: { name, arguments: text = '' } = {} as any } of delta.tool_calls ?? []) {
          message.tool_calls[index] ??= { type: 'function', function: { arguments: '' } }
          const call = message.tool_calls[index]
          if (id) call.id = id
          if (name) call.function.name = name
          call.function.arguments += text
        }
      }
    const results = message.tool_calls.map(({ id }: any) => ({ role: 'tool', tool_call_id: id, content: 'x' }))
    if (message.tool_calls.length === 0) delete message.tool_calls
    await post(recorded, '/chat/completions', { messages: [question, message, ...results, question], model })
  },
  async responses(recorded: RecordedProviders, model: string) {
    const events = await streamOf(recorded, '/responses', { input: [question], model })
    const { output } = events.at(-1).response
    const calls = output.filter(({ type }: any) => type === 'function_call')
    const results = calls.map(({ call_id }: any) => ({ type: 'function_call_output', call_id, output: 'x' }))
    await post(recorded, '/responses', { input: [question, ...output, ...results, question], model })
  },
  async messages(recorded: RecordedProviders, model: string) {
    const events = await streamOf(recorded, '/messages', { messages: [question], model, max_tokens: 50 })
    const content: any[] = []
    for (const { index, content_block, delta = {} } of events) {
      if (content_block) content[index] = { ...content_block, json: '' }
      if (delta.text) content[index].text += delta.text
      if (delta.partial_json) content[index].json += delta.partial_json
    }
    const blocks = content.map(({ json, ...block }) => (json ? { ...block, input: JSON.parse(json) } : block))
    const results = blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'x' }))
    const messages = [
      question,
      { role: 'assistant', content: blocks },
      { role: 'user', content: [...results, { type: 'text', text: 'Hi' }] },
    ]
    await post(recorded, '/messages', { messages, model, max_tokens: 50 })
  },
}

async function streamOf({ service }: RecordedProviders, path: string, body: object): Promise<any[]> {
  const { text, status } = await service.ask('POST', path, { body: { ...body, stream: true } })
  assert.equal(status, 200, text)
  const events = new SseReader().push(Buffer.from(text)).map(({ data }) => data)
  return events.filter((data) => data.startsWith('{')).map((data) => JSON.parse(data))
}

async function post({ service }: RecordedProviders, path: string, body: object): Promise<void> {
  const { text, status } = await service.ask('POST', path, { body: { ...body, stream: true } })
  assert.equal(status, 200, text)
}

describe('signatures of Gemini behind chat servers', () => {
  let recorded: RecordedProviders
  before(async () => {
    const names = [...Object.keys(responses), 'text']
    recorded = await startWithUpstream((received) => {
      const { name } = parseRequest(received)
      const pieces = responses[name]?.pieces.map((piece) => ({ role: 'assistant', tool_calls: [piece] }))
      const texts = [
        { role: 'assistant', content: 'Hello' },
        { content: '', ...vertex },
      ]
      const body = pieces ? streamed(pieces, 'tool_calls') : streamed(texts, 'stop')
      return { status: 200, type: 'text/event-stream', body }
    }, names)
  })
  after(() => recorded[Symbol.asyncDispose]())

  for (const [client, converse] of Object.entries(clients)) {
    for (const [name, { members }] of Object.entries(responses))
      test(`${client}: the call of the response "${name}" returns with its signature`, async () => {
        await converse(recorded, `openai-chat/${name}`)
        const { messages } = recorded.upstream.requests.at(-1)!.body
        const { tool_calls, reasoning_details } = messages.find(({ role }: any) => role === 'assistant')
        const { id, type, function: sent, ...others } = tool_calls[0]
        assert.deepEqual([id, tool_calls.length], [messages.find(({ role }: any) => role === 'tool').tool_call_id, 1])
        assert.deepEqual([type, sent, others, reasoning_details], ['function', called, members, undefined])
      })

    test(`${client}: a signed text returns with its signature`, async () => {
      await converse(recorded, 'openai-chat/text')
      const { messages } = recorded.upstream.requests.at(-1)!.body
      const { role: _role, ...message } = messages.find(({ role }: any) => role === 'assistant')
      assert.deepEqual(message, { content: 'Hello', ...vertex })
    })
  }
})
