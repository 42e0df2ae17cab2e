import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parseExactly } from '#platform/json/json-text/exact-numbers.ts'
import { upstreamProtocols } from '#test/harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { parseRequest } from '#test/harness/upstream/scripted-upstream.ts'
import { type Door, doors } from '../tool-calls/clients.ts'

/** Numbers that double precision rounds. */
const args = '{"id":12345678901234567890,"list":[-9007199254740993,0.12345678901234567891]}'
const digits = ['12345678901234567890', '-9007199254740993', '0.12345678901234567891']
const quoted = JSON.stringify(args)

const chatCall = (argsJson: string) =>
  `{"index":0,"id":"call_a","type":"function","function":{"name":"read","arguments":${argsJson}}}`
const chatChoice = (field: string, argsJson: string) =>
  `{"id":"c","created":1,"model":"m","choices":[{"index":0,"${field}":{"role":"assistant","content":null,"tool_calls":[${chatCall(argsJson)}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`
const toolUse = (input: string) => `{"type":"tool_use","id":"toolu_a","name":"read","input":${input}}`
const callItem = `{"type":"function_call","id":"fc_1","call_id":"call_a","name":"read","arguments":${quoted}}`
const completed = `{"id":"r","object":"response","status":"completed","model":"m","output":[${callItem}],"usage":{"input_tokens":1,"output_tokens":1}}`
const message = (content: string) =>
  `{"id":"m","type":"message","role":"assistant","model":"m","content":[${content}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`
const gemini = `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"read","args":${args}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1}}`

/** A response with the call, as the events of a stream and whole, by the protocol and the name of the model. */
const responses: Record<string, { events: string[]; whole: string }> = {
  'openai-chat/text': { events: [chatChoice('delta', quoted), '[DONE]'], whole: chatChoice('message', quoted) },
  'openai-chat/object': { events: [chatChoice('delta', args), '[DONE]'], whole: chatChoice('message', args) },
  'openai-responses/text': {
    events: [`{"type":"response.completed","response":${completed}}`],
    whole: completed,
  },
  'anthropic-messages/text': {
    events: [
      `{"type":"message_start","message":{"id":"m","model":"m","usage":{"input_tokens":1,"output_tokens":1}}}`,
      `{"type":"content_block_start","index":0,"content_block":${toolUse('{}')}}`,
      `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":${quoted}}}`,
      `{"type":"content_block_stop","index":0}`,
      `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}`,
      `{"type":"message_stop"}`,
    ],
    whole: message(toolUse(args)),
  },
  'anthropic-messages/object': {
    events: [
      `{"type":"message_start","message":{"id":"m","model":"m","usage":{"input_tokens":1,"output_tokens":1}}}`,
      `{"type":"content_block_start","index":0,"content_block":${toolUse(args)}}`,
      `{"type":"content_block_stop","index":0}`,
      `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}`,
      `{"type":"message_stop"}`,
    ],
    whole: message(toolUse(quoted)),
  },
  'google-gemini/text': { events: [gemini], whole: gemini },
}

/** A conversation with the call, as each client sends it. `padding` makes the body long. */
const histories: Record<Door, (model: string, padding: string) => string> = {
  chat: (model, padding) =>
    `{"model":"${model}","messages":[{"role":"user","content":"Hi${padding}"},{"role":"assistant","content":null,"tool_calls":[${chatCall(quoted)}]},{"role":"tool","tool_call_id":"call_a","content":"Done"}],"max_tokens":50}`,
  responses: (model, padding) =>
    `{"model":"${model}","input":[{"role":"user","content":"Hi${padding}"},${callItem},{"type":"function_call_output","call_id":"call_a","output":"Done"}],"max_output_tokens":50}`,
  messages: (model, padding) =>
    `{"model":"${model}","messages":[{"role":"user","content":"Hi${padding}"},{"role":"assistant","content":[${toolUse(args)}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_a","content":"Done"}]}],"max_tokens":50}`,
}

const assertDigits = (text: string) => {
  for (const number of digits) assert.ok(text.includes(number), `${number} is missing in ${text.slice(-2000)}`)
}

describe('numbers with many digits in arguments', () => {
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithUpstream(
      (received) => {
        const { protocol, name, streamed } = parseRequest(received)
        const { events, whole } = responses[`${protocol}/${name}`]!
        return streamed
          ? { status: 200, type: 'text/event-stream', body: events.map((data) => `data: ${data}\n\n`).join('') }
          : { status: 200, type: 'application/json', body: whole }
      },
      ['text', 'object'],
    )
  })
  after(() => recorded[Symbol.asyncDispose]())

  for (const door of Object.keys(doors) as Door[]) {
    for (const model of Object.keys(responses))
      for (const stream of [false, true])
        test(`are exact for ${door} clients of ${model}${stream ? ', streamed' : ''}`, async () => {
          const { path, body } = doors[door]
          const reply = await recorded.service.ask('POST', path, { body: { ...body, model, stream } })
          assert.equal(reply.status, 200, reply.text)
          assertDigits(reply.text)
        })
    for (const protocol of upstreamProtocols)
      for (const padding of ['', 'a'.repeat(20_000)])
        test(`are exact in the history of ${door} clients for ${protocol}, ${padding.length} more`, async () => {
          const raw = histories[door](`${protocol}/text`, padding)
          const reply = await recorded.service.ask('POST', doors[door].path, { body: parseExactly(raw) })
          assert.equal(reply.status, 200, reply.text)
          assertDigits(recorded.upstream.requests.at(-1)!.text)
        })
  }
})
