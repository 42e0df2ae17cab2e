import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { SseReader } from '#platform/net/sse.ts'
import { chatClientProtocol } from '../../../clients/chat/chat-client-protocol.ts'
import { StreamRelay } from '../../../protocol/relay-stream.ts'
import { openaiChat } from '../../../providers/openai-chat/openai-chat.ts'
import { ResponseCounter } from '../../../record/response-counter.ts'
import type { AttemptRequest } from '../../attempt-request.ts'
import { AttemptExchange } from '../attempt-exchange.ts'

const head = { id: 'gen-1', model: 'a/b', provider: 'Größe', createdSeconds: 5 }

/**
 * Relays a stream in these pieces. @returns the events for the client, and the counts.
 * @param needsText as if the content is stored.
 */
async function relay(pieces: Buffer[], needsText = false): Promise<{ events: object[]; counted: object }> {
  const written: Buffer[] = []
  const counter = new ResponseCounter(() => 1)
  const response = { signal: { aborted: false }, onDrain() {}, end: (last: Buffer) => void written.push(last) }
  const streamRelay = new StreamRelay(response as unknown as ResponseStream, {
    client: chatClientProtocol,
    head,
    passesResponse: true,
    includeUsage: true,
    count: (events) => counter.count(events),
    countText: (type, bytes) => counter.countText(type, bytes),
    needsText,
    price: () => ({ costUsd: 1 }),
  })
  const target = { endpoint: {} }
  const attemptRequest = {
    responseId: 'gen-1',
    providerProtocol: openaiChat,
    target,
    stream: true,
    contentHoldMs: 60_000,
  } as AttemptRequest
  const exchange = new AttemptExchange(attemptRequest, streamRelay, () => 1)
  exchange.head(200, { 'content-type': 'text/event-stream' })
  for (const piece of pieces) exchange.data(piece)
  exchange.end()
  assert.deepEqual(await exchange.outcome, { kind: 'complete' })
  const events = new SseReader().push(Buffer.concat(written)).filter(({ data }) => data !== '[DONE]')
  return { events: events.map(({ data }) => JSON.parse(data)), counted: counter.result() }
}

type Delta = { content?: string; reasoning?: string; audio?: null; tool_calls?: object[] | null }
type Chunk = { choices: { delta: Delta; finish_reason?: string | null; usage?: null }[]; usage?: null }

const detail = { type: 'reasoning.text', id: 'reasoning:a/b', format: 'unknown', index: 0 }

/** The expected chunk for the client. */
function expectedOf({ usage: _null, ...chunk }: Chunk, at: number): object {
  const choices = chunk.choices.map(({ delta: { audio: _audio, tool_calls: calls, ...delta }, ...choice }) => ({
    ...choice,
    delta: {
      ...(at === 0 && { role: 'assistant' }),
      ...delta,
      ...(delta.reasoning && { reasoning_details: [{ ...detail, text: delta.reasoning }] }),
      ...(calls && { tool_calls: calls }),
    },
    finish_reason: choice.finish_reason || null,
  }))
  const filled = { id: 'gen-1', created: 5, object: 'chat.completion.chunk' }
  return { ...filled, ...chunk, choices, model: 'a/b', provider: 'Größe' }
}

const word = fc.constantFrom(
  'word',
  '',
  '"',
  '\\',
  '\\u0041',
  '"usage":null',
  'data:',
  'é🚂',
  '\n',
  '"id":"x"',
  '{',
  '"tool_calls"',
)
const deltas = fc.oneof(
  { weight: 4, arbitrary: word.map((content) => ({ content })) },
  word.map((reasoning) => ({ reasoning })),
  word.map((content) => ({ content, audio: null, tool_calls: null })),
  word.map((argument) => ({ content: null, argument })),
)

/** A delta with a valid tool call. */
function withCall(delta: object, at: number, all: object[]): object {
  if (!('argument' in delta)) return delta
  const index = all.slice(0, at).filter((before) => 'argument' in before).length
  const called = { name: `f${delta.argument}`, arguments: JSON.stringify({ argument: delta.argument }) }
  return { content: null, tool_calls: [{ index, id: `own${index}`, type: 'function', function: called }] }
}
const endOf = (deltas: object[]) => ({
  finish_reason: deltas.some((delta) => 'argument' in delta) ? 'tool_calls' : 'stop',
})
const fields = ['object', 'created', 'model', 'choices', 'usage', 'x', 'padding'] as const
const values = { object: 'chat.completion.chunk', created: 7, model: 'm', usage: null, x: { id: 'n', usage: null } }
/** The fields of all chunks of one stream, and further fields of its choices. */
const shape = fc.record({
  names: fc
    .shuffledSubarray([...fields])
    .map((names) => ['id', ...names.filter((name) => name !== 'choices'), 'choices']),
  first: fc.boolean(),
  more: fc.constantFrom({ finish_reason: null }, {}, { finish_reason: '' }, { finish_reason: null, usage: null }),
})
const chunks = fc
  .tuple(shape, fc.array(deltas, { minLength: 1, maxLength: 6 }), word)
  .map(([{ names, first, more }, deltas, padding]) =>
    [...deltas.map(withCall).map((delta) => ({ delta, more })), { delta: {}, more: endOf(deltas) }].map(
      ({ delta, more: of }) => {
        const all = { ...values, id: 'c', padding, choices: [{ index: 0, delta, ...of }] } as {
          [name: string]: unknown
        }
        const order = first ? names.toReversed() : names
        return Object.fromEntries(order.map((name) => [name, all[name]])) as unknown as Chunk
      },
    ),
  )
const form = fc.record({
  mark: fc.constantFrom('', '', '\ufeff'),
  before: fc.constantFrom('', 'event: message', ': {', 'id: 4'),
  after: fc.constantFrom('', '', 'id: 9', ': {'),
  between: fc.constantFrom('', 'data:', ': keepalive', 'event: ping'),
  ending: fc.constantFrom('\n', '\r\n'),
  space: fc.constantFrom(undefined, undefined, 1),
})

function written(
  all: Chunk[],
  { mark, before, after, between, ending, space }: typeof form extends fc.Arbitrary<infer Form> ? Form : never,
) {
  const event = (...lines: string[]) => [...lines.filter((line) => line !== ''), '', ''].join(ending)
  const dataOf = (chunk: Chunk) =>
    JSON.stringify(chunk, undefined, space)
      .split('\n')
      .map((line) => `data: ${line}`)
  const events = all.map((chunk) => (between && event(between)) + event(before, ...dataOf(chunk), after))
  return Buffer.from(`${mark}${events.join('')}data: [DONE]${ending}${ending}`)
}

test('passed-through chunks equal parsed and rewritten ones at any chunk border', async () => {
  await fc.assert(
    fc.asyncProperty(chunks, form, fc.array(fc.nat(5000), { maxLength: 12 }), async (all, how, cuts) => {
      const bytes = written(all, how)
      const borders = [0, ...cuts.map((cut) => cut % bytes.length), bytes.length].sort((a, b) => a - b)
      const pieces = borders.slice(1).map((end, at) => bytes.subarray(borders[at], end))
      const response = await relay(pieces)
      assert.deepEqual(response.events, JSON.parse(JSON.stringify(all.map(expectedOf))))
      assert.deepEqual(await relay(pieces, true), response)
    }),
    { numRuns: 250, seed: 1 },
  )
})
