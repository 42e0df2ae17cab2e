import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SseReader } from '#lib/sse.ts'
import { chatRewriter } from './clients/chat/rewriter.ts'
import { chatReader } from './providers/openai-chat-answer.ts'

const named = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
const word = fc.oneof(
  fc.constantFrom(
    '',
    ' word',
    'content',
    'm',
    'a"b',
    '\\',
    '\\u0041',
    '\n',
    'é🚂',
    '"usage"',
    'data:',
    'signalbox probe',
  ),
  fc.string({ maxLength: 12, unit: 'binary' }),
)
const delta = fc.oneof(
  ...[word.map((content) => ({ content })), word.map((content) => ({ content })), word.map((content) => ({ content }))],
  word.map((content) => ({ role: 'assistant', content })),
  word.map((text) => ({ content: text, reasoning: text })),
  word.map((text) => ({
    content: null,
    tool_calls: [{ index: 0, id: text, function: { name: text, arguments: text } }],
  })),
)
const choice = fc.record(
  {
    index: fc.constant(0),
    delta,
    finish_reason: fc.constantFrom(null, null, null, 'stop'),
    logprobs: fc.constant(null),
  },
  { requiredKeys: ['index', 'delta'] },
)
const chunk = fc.oneof(
  ...[0, 1, 2].map(() => choice.map((one) => ({ ...named, choices: [one] }))),
  fc
    .record({ more: choice, first: word })
    .map(({ more, first }) => ({ first, ...named, choices: [more], usage: null })),
  choice.map((one) => ({ choices: [one], ...named, service_tier: null })),
  fc.constant({ ...named, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }),
)
const written = fc.tuple(chunk, fc.constantFrom(0, 0, 0, 0, 1)).map(([one, space]) => {
  const json = JSON.stringify(one, undefined, space).replaceAll('\n', ' ')
  return `data: ${json}\n\n`
})
const stream = fc.array(written, { minLength: 1, maxLength: 12 })
const cuts = fc.array(fc.nat({ max: 4000 }), { maxLength: 8 })

/** The events of a stream, however it is cut. */
function cut(events: string[], places: number[]) {
  const [bytes, reader] = [Buffer.from(events.join('')), new SseReader()]
  const borders = [0, ...places.map((one) => one % bytes.length).sort((a, b) => a - b), bytes.length]
  const pieces = borders.slice(1).map((end, at) => bytes.subarray(borders[at], end))
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
}

test('a stream of chunks is read as each of them alone is, wherever it is cut', () => {
  fc.assert(
    fc.property(stream, cuts, (events, places) => {
      const read = chatReader('a')
      for (const event of cut(events, places)) assert.deepEqual(read(event), chatReader('a')(event))
    }),
    { numRuns: 3000 },
  )
})

test('a stream of chunks is mended as each of them alone is, to the byte', () => {
  const head = { id: 'gen-1', model: 'a/b', provider: 'Größe', createdSeconds: 5 }
  fc.assert(
    fc.property(stream, cuts, (events, places) => {
      const rewriter = chatRewriter(head)
      for (const { raw } of cut(events, places)) {
        const alone = chatRewriter(head).event(raw)
        assert.equal(rewriter.event(raw).toString('latin1'), alone.toString('latin1'))
      }
    }),
    { numRuns: 3000 },
  )
})

test('a second chunk that differs in its text alone is not parsed', (t) => {
  const read = chatReader()
  const data = (content: string) => JSON.stringify({ ...named, choices: [{ index: 0, delta: { content } }] })
  read({ event: undefined, data: data('one'), raw: Buffer.alloc(0) })
  const parse = t.mock.method(JSON, 'parse')
  assert.deepEqual(read({ event: undefined, data: data('two'), raw: Buffer.alloc(0) }), [{ type: 'text', text: 'two' }])
  assert.equal(parse.mock.callCount(), 0)
})
