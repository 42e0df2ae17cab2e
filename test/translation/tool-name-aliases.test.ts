import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SseReader } from '#platform/net/sse.ts'
import { type RecordedProviders, startWithUpstream } from '../harness/upstream/recorded-providers.ts'
import { parseRequest } from '../harness/upstream/scripted-upstream.ts'
import { type Door, doors, streamReaders, wholeReaders } from '../tool-calls/clients.ts'

/** Longer than any provider accepts, with a character that none accepts. */
const name = `mcp.server/${'x'.repeat(140)}`
const parameters = { type: 'object', properties: {} }
const tools: Record<Door, object[]> = {
  chat: [{ type: 'function', function: { name, parameters } }],
  responses: [{ type: 'function', name, parameters }],
  messages: [{ name, input_schema: parameters }],
}

/** The name that an upstream got. */
function sentName(body: any): string {
  const [tool] = body.tools
  return tool.functionDeclarations?.[0].name ?? tool.function?.name ?? tool.name
}

/** A response with a call, in the protocol that the provider does not have. */
function foreignResponse(protocol: string, called: string): object {
  if (protocol !== 'openai-chat') {
    const tool_calls = [{ id: 'call_a', type: 'function', function: { name: called, arguments: '{}' } }]
    return { id: 'c', choices: [{ index: 0, message: { role: 'assistant', tool_calls }, finish_reason: 'tool_calls' }] }
  }
  const content = [{ type: 'tool_use', id: 'call_a', name: called, input: {} }]
  return { id: 'm', type: 'message', role: 'assistant', content, stop_reason: 'tool_use', usage: { input_tokens: 1 } }
}

function foreignStream(protocol: string, called: string): string {
  const events =
    protocol === 'openai-chat'
      ? [
          { type: 'message_start', message: { id: 'm', role: 'assistant', content: [] } },
          {
            type: 'content_block_start',
            index: 0,
            content_block: { type: 'tool_use', id: 'c', name: called, input: {} },
          },
          { type: 'content_block_stop', index: 0 },
          { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
          { type: 'message_stop' },
        ]
      : [
          {
            id: 'c',
            choices: [
              {
                index: 0,
                delta: { tool_calls: [{ index: 0, id: 'c', function: { name: called, arguments: '{}' } }] },
                finish_reason: 'tool_calls',
              },
            ],
          },
        ]
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

describe('names of tools that a provider would refuse', () => {
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithUpstream(
      (received) => {
        const { protocol, name: model, streamed } = parseRequest(received)
        const called = sentName(received.body)
        assert.notEqual(called, name)
        const type = 'application/json'
        const message = `Invalid schema for function '${called}'`
        if (model === 'refusing') return { status: 400, type, body: JSON.stringify({ error: { message } }) }
        if (streamed) return { status: 200, type: 'text/event-stream', body: foreignStream(protocol, called) }
        return { status: 200, type, body: JSON.stringify(foreignResponse(protocol, called)) }
      },
      ['refusing', 'foreign'],
    )
  })
  after(() => recorded[Symbol.asyncDispose]())

  for (const protocol of ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini'])
    for (const door of Object.keys(doors) as Door[]) {
      const ask = (model: string, stream: boolean) => {
        const body = { ...doors[door].body, model: `${protocol}/${model}`, stream, tools: tools[door] }
        return recorded.service.ask('POST', doors[door].path, { body })
      }
      test(`${door} to ${protocol}: an error has the name that the client sent`, async () => {
        const { status, text } = await ask('refusing', false)
        assert.equal(status, 400)
        assert.match(text, /mcp\.server\/x{140}/)
      })
      test(`${door} to ${protocol}: a response in another protocol has it`, async () => {
        const whole = await ask('foreign', false)
        assert.equal(wholeReaders[door](whole.body).calls[0]?.[1], name, whole.text)
        const stream = await ask('foreign', true)
        const events = new SseReader().push(Buffer.from(stream.text))
        const parsed = events.flatMap(({ data }) => (data.startsWith('{') ? [JSON.parse(data)] : []))
        assert.equal(streamReaders[door](parsed).calls[0]?.[1], name, stream.text)
      })
    }
})
