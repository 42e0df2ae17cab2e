import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CompletionEvent } from '#chat/events.ts'
import { SseReader } from '#platform/net/sse.ts'
import { ByteBatch } from '#platform/text/byte-batch.ts'
import type { TextEvent } from '../attempt/response/receiver.ts'
import { ResponseSizeLimit } from '../attempt/response/response-size-limit.ts'
import { DeltaFastPath } from '../attempt/response/stream/delta-fast-path.ts'
import { createChatRewriter } from '../clients/chat/passthrough/rewriter.ts'
import { openaiChat } from '../providers/openai-chat/openai-chat.ts'
import { ResponseCounter } from '../record/response-counter.ts'
import { EventTemplate } from './event-template.ts'

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
    'it said "x"\n',
    'signalbox padding',
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
  word.map((reasoning) => ({ reasoning })),
  word.map((reasoning_content) => ({ content: null, reasoning_content })),
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
  ...[0, 1].map(() =>
    fc.tuple(choice, word).map(([one, obfuscation]) => ({ ...named, choices: [one], usage: null, obfuscation })),
  ),
  fc.constant({ ...named, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }),
)
const written = fc.tuple(chunk, fc.constantFrom(0, 0, 0, 0, 1)).map(([one, space]) => {
  const json = JSON.stringify(one, undefined, space).replaceAll('\n', ' ')
  return `data: ${json}\n\n`
})
const stream = fc.array(written, { minLength: 1, maxLength: 12 })
const cuts = fc.array(fc.nat({ max: 4000 }), { maxLength: 8 })

type Relayed = { events: string; bytes: string; counted: number }

/** Relays a stream that is cut at these positions. @returns its text, the events of the client and the counted text. */
function playedIn(pieces: Buffer[], { passThrough, alike }: { passThrough: boolean; alike: boolean }): Relayed {
  const head = { id: 'gen-1', model: 'a/b', provider: 'Größe', createdSeconds: 5 }
  const [tally, batch, rewriter] = [new ResponseCounter(() => 1), new ByteBatch(), createChatRewriter(head)]
  const text: CompletionEvent[] = []
  const receiver = {
    onStart: () => {},
    flush: () => {},
    onEnd: () => {},
    failed: () => {},
    onEvents(events: CompletionEvent[], raw: Buffer | undefined) {
      tally.count(events)
      text.push(...events)
      if (raw && passThrough) batch.add(rewriter.rewriteEvent(raw))
    },
    deltas: passThrough
      ? {
          rewrite: rewriter.rewriteEvent,
          take({ type }: TextEvent, bytes: number, template: EventTemplate, from: Buffer) {
            tally.countText(type, bytes)
            template.write(from, batch)
          },
        }
      : undefined,
  }
  const sse = new SseReader()
  const createReader = () => openaiChat.createReader({ responseId: 'a' })
  const read = createReader()
  const events = alike ? new DeltaFastPath({ read, createReader }, receiver, new ResponseSizeLimit()) : undefined
  for (const piece of pieces) {
    const passed = events && sse.isBetweenEvents ? events.deliver(piece) : 0
    for (const event of sse.push(piece.subarray(passed))) {
      const response = read(event)
      receiver.onEvents(response, event.raw)
      events?.learn(event.raw, response)
    }
  }
  const { bytes: counted, reasoningBytes } = tally.result()
  return {
    events: passThrough ? '' : JSON.stringify(text),
    bytes: batch.take().toString('latin1'),
    counted: counted + reasoningBytes,
  }
}

/** One chunk per event, except some that are cut or joined with the next one. */
function cut(events: string[], places: number[]): Buffer[] {
  const bytes = Buffer.from(events.join(''))
  const ends = events.map((_, at) => Buffer.byteLength(events.slice(0, at + 1).join('')))
  const uncut = ends.filter((end) => places.every((one) => (one + end) % 5 > 0))
  const borders = [0, ...uncut, ...places.map((one) => one % bytes.length), bytes.length].sort((a, b) => a - b)
  return borders.slice(1).map((end, at) => bytes.subarray(borders[at], end))
}

for (const passThrough of [false, true]) {
  const what = passThrough ? 'passed on to the byte' : 'read'
  test(`a stream of chunks is ${what} and counted as if parsed, wherever it is cut`, () => {
    fc.assert(
      fc.property(stream, cuts, (events, places) => {
        const parsed = playedIn(cut(events, places), { passThrough, alike: false })
        assert.deepEqual(playedIn(cut(events, places), { passThrough, alike: true }), parsed)
      }),
      { numRuns: 3000 },
    )
  })
}

const chunkOf = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ ...named, choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`

for (const [what, events] of [
  ['text', ['one', ' two', ' "three"\n', ' 4\\'].map((content) => chunkOf({ content }))],
  ['text and a role', ['one', 'two', '3'].map((content) => chunkOf({ role: 'assistant', content }))],
  ['thoughts', ['one', 'two', '3'].map((reasoning) => chunkOf({ reasoning }))],
  [
    'text and padding',
    ['one', 'two', '3'].map((content, at) => chunkOf({ content }, { obfuscation: 'x'.repeat(9 - at) })),
  ],
] as const)
  for (const passThrough of [false, true])
    test(`chunks that differ in ${what} are not parsed, ${passThrough ? 'passed through' : 'translated'}`, (t) => {
      const parse = t.mock.method(JSON, 'parse')
      playedIn(events.map(Buffer.from as (event: string) => Buffer), { passThrough, alike: true })
      const first = parse.mock.calls.filter(({ arguments: [text] }) => String(text).startsWith('{'))
      // The first event, and the one with the probe, which two readers read. If passed through, the first gets a role, and both get reasoning in
      // further fields.
      const rewritten = what === 'thoughts' ? 2 : what === 'text and a role' ? 0 : 1
      assert.equal(first.length, passThrough ? 3 + rewritten : 3)
    })

test('an end that comes while a call is open is not lost, however often it repeats', () => {
  const callOf = (text: string) =>
    chunkOf({ tool_calls: [{ index: 0, id: text, function: { name: text, arguments: text } }] })
  const endOf = (content: string) =>
    `data: ${JSON.stringify({ ...named, choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] })}\n\n`
  const events = [callOf(''), endOf('one'), callOf('x'), endOf('two')].map((event) => Buffer.from(event))
  for (const passThrough of [false, true])
    assert.deepEqual(playedIn(events, { passThrough, alike: true }), playedIn(events, { passThrough, alike: false }))
})

test('a stream of dissimilar chunks has only a few attempts to learn', () => {
  const template = new EventTemplate()
  let tried = 0
  for (let at = 0; at < 100; at++) {
    const event = Buffer.from(chunkOf({ content: 'word' }, { at }))
    assert.equal(template.find(event, 0), -1)
    template.learn(
      event,
      'word',
      () => Boolean(++tried),
      (same) => same,
    )
  }
  assert.equal(tried, 4)
})

test('a text that also occurs elsewhere in its event is read correctly', () => {
  for (const text of [':', ',', '{', '}', '":"', '","', 'delta', 'content', 'index', '0', 'null', 'data'])
    for (const passThrough of [false, true]) {
      const events = [text, 'x', text, 'y'].map((content) => Buffer.from(chunkOf({ content })))
      const parsed = playedIn(events, { passThrough, alike: false })
      assert.deepEqual(playedIn(events, { passThrough, alike: true }), parsed, text)
    }
})
