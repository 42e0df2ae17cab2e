import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ChatRequest } from '#chat/chat-request.ts'
import { ResponsesCall } from '#chat/responses-call.ts'
import { encodeThought } from '#chat/thought-encoding.ts'
import { Fault } from '#platform/core/fault.ts'
import { endpointOf } from '#test/harness/upstream/endpoints/candidates.ts'
import { responsesToChat } from '../clients/responses/to-chat.ts'
import { protocols } from '../providers/protocols.ts'
import type { Body } from './request-body.ts'

const call = { name: 'look_up', arguments: '{}' }
const schema = { type: 'json_schema', name: 'x', schema: {} }
const format = 'anthropic-claude-v1' as const
const details = [
  { type: 'reasoning.text', text: 'Hm', signature: 'y', format, id: 'z' },
  { type: 'reasoning.encrypted', data: 'q', id: 'a' },
]

/** A large request with every kind of content. */
const chat: Body = {
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==', filename: 'x' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: call }],
      reasoning_details: details,
    },
    { role: 'tool', tool_call_id: 'a', content: 'x' },
  ],
  tools: [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object' }, strict: true } }],
  tool_choice: { type: 'function', function: { name: 'look_up' } },
  response_format: { type: 'json_schema', json_schema: schema },
  reasoning: { effort: 'low' },
  stop: ['x'],
}

const responses: Body = {
  input: [
    { role: 'user', content: [{ type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' }] },
    {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'x' }],
      content: [{ text: 'x' }],
      encrypted_content: encodeThought({ format, signature: 'x' }),
    },
    { type: 'function_call', call_id: 'a', ...call },
    { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'x' }] },
  ],
  tools: [{ type: 'function', name: 'look_up', parameters: {} }],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look_up' }] },
  text: { format: schema, verbosity: 'low' },
  reasoning: { effort: 'low', summary: 'auto' },
}

const odd = [null, 5, 'abc', true, [], {}, [null], [5], ['x'], { a: null }, [[]], [{}]]

/** Yields copies of the value in which one part is replaced by an unusual form. */
function* oddly(value: unknown): Generator<unknown> {
  yield* odd
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) {
    for (const other of oddly(part)) {
      yield Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other }
    }
  }
}

function onlyFaults(body: unknown, work: () => void): void {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof Fault, `${(error as Error).stack}\n${JSON.stringify(body)}`)
  }
}

function encodeEverywhere(request: ChatRequest): void {
  const target = { endpoint: endpointOf('p'), credential: 'key', stream: false }
  for (const providerProtocol of Object.values(protocols))
    onlyFaults(request, () => providerProtocol.encode(request, target))
}

describe('a malformed request that the schema accepts', () => {
  test('of the chat protocol is sent or refused with a message', () => {
    for (const body of oddly(chat)) {
      const parsed = ChatRequest.safeParse(body)
      if (parsed.success) encodeEverywhere(parsed.data)
    }
  })

  test('of the responses protocol is sent or refused with a message', () => {
    for (const body of oddly(responses)) {
      const parsed = ResponsesCall.safeParse(body)
      if (parsed.success) onlyFaults(body, () => encodeEverywhere(responsesToChat(parsed.data)))
    }
  })
})
