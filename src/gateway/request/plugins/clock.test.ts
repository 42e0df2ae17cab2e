import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { readOrigin } from '#chat/thoughts.ts'
import { Fault } from '#platform/core/fault.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { chatClientProtocol } from '../../clients/chat/chat-client-protocol.ts'
import type { PreparedRequest } from '../prepared-request.ts'
import { completeInRounds, formatLocalTime } from './clock.ts'
import { clockName } from './clock-round.ts'

const head = { id: 'gen-1', model: 'a/b', createdSeconds: 1 }
const counted = { prompt: 10, completion: 5, cached: 4, cacheWritten: 3, reasoning: 2 }
const started: CompletionEvent = { type: 'started', id: 'x', model: 'b' }
const called = (index: number, name: string): CompletionEvent[] => [
  { type: 'tool_call', index, id: `call_${index}`, name },
  { type: 'tool_arguments', index, text: `{"of":"${name}"}` },
]
const usage: CompletionEvent = { type: 'usage', tokens: counted }
const finish: CompletionEvent = { type: 'finish', reason: 'tool_calls', native: 'tool_calls' }
const text = (content: string): CompletionEvent[] => [started, { type: 'text', text: content }]

/** The output for a streaming client when the rounds give these responses. A `Fault` is a failed round. */
async function complete(...responses: (CompletionEvent[] | Fault)[]) {
  const received = { text: '', ended: 0, requests: [] as any[] }
  const response = {
    get opened() {
      return received.text !== ''
    },
    write: (chunk: string | Buffer) => {
      received.text += chunk
      return true
    },
    end: () => void received.ended++,
    signal: new AbortController().signal,
  } as unknown as ResponseStream
  const body = { messages: [{ role: 'user', content: 'Hi' }], tools: [{ type: 'openrouter:datetime' }], stream: true }
  const chat = chatClientProtocol.toChat({ ...body, tools: [] })
  const prepared = {
    body,
    chat,
    client: chatClientProtocol,
    preset: undefined,
    skippedPresetFields: undefined,
  } as Parameters<typeof completeInRounds>[2]
  await completeInRounds(
    { timezone: 'UTC' },
    response,
    prepared,
    () => 0,
    async (round, inner) => {
      received.requests.push(round.body)
      const response = responses.shift()!
      if (response instanceof Fault) throw response
      const writer = round.client.createWriter(head, { includeUsage: true })
      for (const event of response) inner.write(writer.event(event))
      inner.write(writer.end({ costUsd: 0.25 }))
      inner.end()
      return undefined
    },
  )
  const chunks = received.text.match(/^data: \{.*$/gm)?.map((line) => JSON.parse(line.slice(6))) ?? []
  return { ...received, chunks }
}

test('the time has the offset of its zone', () => {
  assert.equal(formatLocalTime('UTC', 0), '1970-01-01T00:00:00.000+00:00')
  assert.equal(formatLocalTime('Asia/Kathmandu', Date.UTC(2026, 0, 1)), '2026-01-01T05:45:00.000+05:45')
  assert.equal(formatLocalTime('America/St_Johns', Date.UTC(2026, 0, 1)), '2025-12-31T20:30:00.000-03:30')
})

test('the usage of all rounds is added up', async () => {
  const { chunks, ended } = await complete(
    [...text('Let me see. '), ...called(0, clockName), usage, finish],
    [...text('Late.'), usage, { ...finish, reason: 'stop' } as CompletionEvent],
  )
  assert.deepEqual(
    chunks.flatMap((chunk) => chunk.usage ?? []),
    [
      {
        prompt_tokens: 20,
        completion_tokens: 10,
        total_tokens: 30,
        cost: 0.5,
        prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 6 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
    ],
  )
  assert.equal(ended, 1)
})

test('repeated usage within a round counts once', async () => {
  const soFar: CompletionEvent = { type: 'usage', tokens: { ...counted, completion: 1, reasoning: 0 } }
  const { chunks } = await complete(
    [...text('Let me see. '), soFar, ...called(0, clockName), usage, finish],
    [soFar, ...text('Late.'), usage, { ...finish, reason: 'stop' } as CompletionEvent, usage],
  )
  const usages = chunks.flatMap((chunk) => chunk.usage ?? [])
  assert.deepEqual(
    usages.map((one) => [one.prompt_tokens, one.completion_tokens]),
    [[20, 10]],
  )
})

test('calls of client tools keep order and arguments, clock calls are hidden', async () => {
  const response = [...text('Now. '), ...called(0, 'f'), ...called(1, clockName), ...called(2, 'g'), usage, finish]
  const { chunks, requests } = await complete(response)
  const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
  const args = (at: number) =>
    calls
      .filter(({ index }) => index === at)
      .map((call) => call.function.arguments ?? '')
      .join('')
  assert.deepEqual([args(0), args(1), args(2)], ['{"of":"f"}', '{"of":"g"}', ''])
  assert.deepEqual(
    calls.flatMap((call) => call.function.name ?? []),
    ['f', 'g'],
  )
  assert.equal(requests.length, 1)
})

test('a failed round after output ends the stream with an error', async () => {
  const { text: output, ended } = await complete(
    [...text('Let me see. '), ...called(0, clockName), usage, finish],
    new Fault('unavailable', 'Nobody is there.'),
  )
  assert.match(output, /Let me see[\s\S]*"error":\{[^}]*Nobody is there\./)
  assert.match(output, /"code":503/)
  assert.equal(ended, 1)
})

test('a failed round before output throws', async () => {
  await assert.rejects(complete(new Fault('invalid', 'Not so.')), /Not so/)
})

test('the next round sends unsigned reasoning back with the model that wrote it', async () => {
  const reasoning: CompletionEvent = { type: 'reasoning', text: 'Hm.', field: 'reasoning_content' }
  const { requests } = await complete(
    [started, reasoning, ...called(0, clockName), usage, finish],
    [...text('Late.'), { ...finish, reason: 'stop' } as CompletionEvent],
  )
  const { reasoning_details: details } = requests[1].messages.at(-2)
  assert.deepEqual(details.map(readOrigin), [{ field: 'reasoning_content', by: head.model }])
})

test('a whole response of very many events is combined', async () => {
  const response = { opened: false, signal: new AbortController().signal } as unknown as ResponseStream
  const body = { messages: [{ role: 'user', content: 'Hi' }], tools: [{ type: 'openrouter:datetime' }] }
  const chat = chatClientProtocol.toChat({ ...body, tools: [] })
  const prepared = { body, chat, client: chatClientProtocol, preset: undefined } as unknown as PreparedRequest
  const events = Array.from({ length: 300_000 }, (): CompletionEvent => ({ type: 'text', text: 'a' }))
  const whole = await completeInRounds(
    { timezone: 'UTC' },
    response,
    prepared,
    () => 0,
    async ({ client }) => client.writeBody(head, events, undefined),
  )
  const { choices } = whole as { choices: [{ message: { content: string } }] }
  assert.equal(choices[0].message.content.length, events.length)
})
