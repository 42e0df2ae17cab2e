import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { Fault } from '#platform/core/fault.ts'
import { SseReader } from '#platform/net/sse.ts'
import { messagesEnvelope } from './errors.ts'
import { toUpstreamHeaders } from './headers.ts'
import { messagesClientProtocol } from './messages-client-protocol.ts'
import { messagesToChat } from './request/to-chat.ts'

const head = { id: 'gen-1', model: 'a/b', createdSeconds: 1 }
const response = (events: CompletionEvent[]) => messagesClientProtocol.writeBody(head, events, { costUsd: 0.5 }) as any
const streamed = (events: CompletionEvent[]): any[] => {
  const writer = messagesClientProtocol.createWriter(head, { includeUsage: false })
  const text = events.map(writer.event).join('') + writer.end({ costUsd: 0.5 })
  return new SseReader().push(Buffer.from(text)).map(({ data }) => JSON.parse(data))
}
const chatOf = (content: unknown, more: object = {}) =>
  messagesToChat({ messages: [{ role: 'user', content }], ...more }) as any
const call = (index: number, name: string): CompletionEvent => ({ type: 'tool_call', index, id: `c${index}`, name })
const args = (index: number, text: string): CompletionEvent => ({ type: 'tool_arguments', index, text })

describe('messages clients, responses', () => {
  test('blocks are in sequence, even if an upstream alternates between calls', () => {
    const events = [call(0, 'a'), args(0, '{"x"'), call(1, 'b'), args(1, '{"y":'), args(0, ':1}'), args(1, '2}')]
    const written = streamed(events)
    let open = -1
    for (const { type, index } of written) {
      if (type === 'content_block_start') assert.equal(open === -1 ? index : 'open', index)
      if (type === 'content_block_start') open = index
      if (type === 'content_block_delta') assert.equal(index, open)
      if (type === 'content_block_stop') open = index === open ? -1 : assert.fail()
    }
    const inputs = response(events).content.map(({ name, input }: any) => [name, input])
    assert.deepEqual(inputs, [
      ['a', { x: 1 }],
      ['b', { y: 2 }],
    ])
    assert.deepEqual(
      written.filter(({ delta }) => delta?.partial_json).map(({ index, delta }) => [index, delta.partial_json]),
      [
        [0, '{"x"'],
        [0, ':1}'],
        [1, '{"y":'],
        [1, '2}'],
      ],
    )
  })

  test('a call that is whole is closed when the next begins, which streams on', () => {
    const written = streamed([call(0, 'a'), args(0, '{}'), call(1, 'b'), args(1, '{"y"'), args(1, ':2}')])
    assert.equal(written.filter(({ index, delta }) => index === 1 && delta).length, 2)
  })

  test('a response with calls ends with tool_use, whatever the upstream reports', () => {
    const finish: CompletionEvent = { type: 'finish', reason: 'stop', native: 'stop' }
    assert.equal(response([call(0, 'a'), finish]).stop_reason, 'tool_use')
    assert.equal(response([{ type: 'text', text: 'Hi' }, finish]).stop_reason, 'end_turn')
    assert.equal(response([{ ...finish, reason: 'length' }]).stop_reason, 'max_tokens')
    assert.equal(response([{ ...finish, reason: 'content_filter' }]).stop_reason, 'refusal')
  })

  test('a response without content is a complete message', () => {
    const types = streamed([]).map(({ type }) => type)
    assert.deepEqual(types, ['message_start', 'message_delta', 'message_stop'])
    assert.deepEqual(response([]).content, [])
  })

  test('tokens read from a cache are counted separately', () => {
    const tokens = { prompt: 100, completion: 20, cached: 30, cacheWritten: 50, reasoning: 7 }
    const { usage } = response([{ type: 'usage', tokens }])
    assert.deepEqual(
      [usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens, usage.output_tokens],
      [20, 30, 50, 20],
    )
    assert.deepEqual([usage.output_tokens_details.thinking_tokens, usage.cost], [7, 0.5])
    const [, delta] = streamed([{ type: 'usage', tokens }])
    assert.equal(delta.usage.input_tokens, 20)
  })

  test('encrypted reasoning is a separate block, and signatures are sent back', () => {
    const marks = [
      { format: 'openai-responses-v1', encrypted: 'opaque', id: 'rs_1' },
      { format: 'google-gemini-v1', encrypted: 'opaque' },
      { format: 'anthropic-claude-v1', signature: 'signed' },
      { format: 'anthropic-claude-v1', signature: 'signed', via: 'chat' as const },
      { field: 'reasoning_content' as const },
    ]
    for (const mark of marks) {
      const { content } = response([
        { type: 'reasoning', text: 'Hmm.', ...mark },
        { type: 'text', text: 'Hi' },
      ])
      assert.equal(content[0].thinking, 'Hmm.')
      const [, assistant] = (
        messagesToChat({
          messages: [
            { role: 'user', content: 'Hi' },
            { role: 'assistant', content },
          ],
        }) as any
      ).messages
      const details = assistant.reasoning_details
      assert.equal(details[0].text ?? details[0].summary, 'Hmm.')
      const last = details.at(-1)
      assert.equal(
        last.signature ?? last.data ?? last.id,
        'signature' in mark ? 'signed' : 'field' in mark ? `reasoning_content:${head.model}` : 'opaque',
      )
    }
    const [block] = response([{ type: 'reasoning', text: '', ...marks[0] }]).content
    assert.deepEqual([block.type, block.data.startsWith('sealed.')], ['redacted_thinking', true])
  })

  test('sources are attached to their text, in any order', () => {
    const source: CompletionEvent = { type: 'citation', url: 'https://a.example', title: 'A' }
    for (const events of [
      [source, { type: 'text', text: 'Hi' }],
      [{ type: 'text', text: 'Hi' }, source],
      [{ type: 'text', text: 'Hi' }, { type: 'tool_call', index: 0, id: 'c', name: 'f' }, source],
    ] as CompletionEvent[][])
      assert.equal(response(events).content[0].citations[0].url, 'https://a.example')
  })

  test('a failure is an error event with Anthropic’s type', () => {
    const { fail } = messagesClientProtocol.createWriter(head, { includeUsage: false })
    const [event] = new SseReader().push(Buffer.from(fail({ code: 503, message: 'No.', metadata: { a: 1 } })))
    assert.equal(event?.event, 'error')
    const error = { type: 'overloaded_error', message: 'No.', details: { a: 1 } }
    assert.deepEqual(JSON.parse(event?.data ?? ''), { type: 'error', error })
  })
})

describe('messages clients, requests', () => {
  test('tool results come first, each as a separate message', () => {
    const content = [
      { type: 'tool_result', tool_use_id: 'a', content: 'one' },
      { type: 'text', text: 'And?' },
      { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'two' }], is_error: true },
      { type: 'tool_result', tool_use_id: 'c' },
    ]
    assert.deepEqual(chatOf(content).messages, [
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'two', is_error: true },
      { role: 'tool', tool_call_id: 'c', content: '' },
      { role: 'user', content: 'And?' },
    ])
  })

  test('fields specific to Anthropic do not reach another protocol', () => {
    const chat = chatOf('Hi', {
      context_management: {},
      container: 'c',
      mcp_servers: [{}],
      novelty: 1,
      provider: { zdr: true },
    })
    assert.deepEqual(Object.keys(chat).sort(), ['messages', 'provider'])
    const content = [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'text', text: 'Found.', citations: [] },
    ]
    const { messages } = messagesToChat({ messages: [{ role: 'assistant', content }] })
    assert.deepEqual(messages, [{ role: 'assistant', content: 'Found.' }])
  })

  test('each way to ask for thinking', () => {
    const wish = (more: object) => chatOf('Hi', more).reasoning
    assert.deepEqual(wish({ thinking: { type: 'enabled', budget_tokens: 2000 } }), { enabled: true, max_tokens: 2000 })
    assert.deepEqual(wish({ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }), {
      enabled: true,
      effort: 'xhigh',
    })
    assert.deepEqual(wish({ thinking: { type: 'between_tools' } }), { enabled: false })
    assert.deepEqual(wish({ thinking: { type: 'disabled' }, output_config: { effort: 'low' } }), { enabled: false })
    assert.deepEqual([wish({ output_config: { effort: 'low' } }), wish({})], [{ effort: 'low' }, undefined])
  })

  test('a long user name is sent in the length that providers accept', () => {
    const user = (user_id: string) => chatOf('Hi', { metadata: { user_id } }).user
    assert.equal(user('u'.repeat(64)), 'u'.repeat(64))
    assert.match(user('u'.repeat(65)), /^[0-9a-f]{64}$/)
  })

  for (const [content, where] of [
    [[{ text: 'x' }], /messages\.0\.content\.0\.type/],
    [[{ type: 'image' }], /messages\.0\.content\.0\.source/],
    [[{ type: 'tool_result' }], /messages\.0\.content\.0\.tool_use_id/],
    [[], /messages/],
  ] as const)
    test(`${JSON.stringify(content)} is refused at its path`, () => {
      assert.throws(
        () => chatOf(content),
        (error) => error instanceof Fault && where.test(error.message),
      )
    })
})

test('unknown betas are dropped under a limit; sampling uses a version that allows it', () => {
  const headers = { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'pdfs-2024-09-25, context-1m-2025-08-07' }
  assert.equal(
    toUpstreamHeaders(headers, { body: {}, isLimited: false })['anthropic-beta'],
    'pdfs-2024-09-25,context-1m-2025-08-07',
  )
  assert.equal(toUpstreamHeaders(headers, { body: {}, isLimited: true })['anthropic-beta'], 'pdfs-2024-09-25')
  assert.equal(toUpstreamHeaders(headers, { body: {}, isLimited: true })['anthropic-version'], '2026-10-21')
  assert.equal(
    toUpstreamHeaders(headers, { body: { temperature: 1 }, isLimited: true })['anthropic-version'],
    '2023-06-01',
  )
  assert.deepEqual(toUpstreamHeaders({}, { body: {}, isLimited: false }), {})
})

test('a request on a thread is refused with the message that clients retry on', () => {
  for (const thread of [{ type: 'continue', id: 'thread_1' }, { type: 'create' }]) {
    const body = { model: 'a/b', max_tokens: 5, thread, messages: [{ role: 'user', content: 'Hi' }] }
    assert.throws(
      () => messagesClientProtocol.toChat(body),
      (fault: Fault) => {
        const { body } = messagesEnvelope({ code: 400, message: fault.message, ...fault.details }, 'r')
        const { type, details } = (body as { error: { type: string; details: object } }).error
        assert.deepEqual(
          [type, details],
          ['invalid_request_error', { error_code: 'thread_unsupported_request', unsupported: ['thread'] }],
        )
        return fault.kind === 'invalid'
      },
    )
  }
})
