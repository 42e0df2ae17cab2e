import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { CompletionEvent } from '#chat/events.ts'
import type { ResponseContext } from '../provider-protocol.ts'
import { maxToolCalls, ToolCallAssembler } from './assembler.ts'
import type { ToolCallFragment, UpstreamEvent } from './fragment.ts'

type Piece = Omit<ToolCallFragment, 'type'>
const a = '{"path":"a"}'
const b = '{"path":"b"}'
const finish = (reason: 'tool_calls' | 'length' = 'tool_calls'): CompletionEvent => ({
  type: 'finish',
  reason,
  native: reason,
})
const text: CompletionEvent = { type: 'text', text: '\n' }
const isPiece = (one: Piece | CompletionEvent): one is Piece => !('type' in one)

function assembled(events: readonly UpstreamEvent[][], options: ResponseContext = {}): CompletionEvent[] {
  const assembler = new ToolCallAssembler(options)
  return [...events.flatMap((upstreamEvents) => assembler.push(upstreamEvents)), ...assembler.finish()]
}

function eventsOf(
  given: (Piece | CompletionEvent | (Piece | CompletionEvent)[])[],
  options?: ResponseContext,
): CompletionEvent[] {
  const typed = given.map((one) =>
    [one].flat().map((each): UpstreamEvent => (isPiece(each) ? { type: 'call_fragment', ...each } : each)),
  )
  return assembled(typed, options)
}

/** The calls as a client would assemble them, in order: id, name, arguments. */
function callsOf(events: CompletionEvent[]): string[][] {
  const calls: string[][] = []
  for (const event of events) {
    if (event.type === 'tool_call') {
      assert.equal(event.index, calls.length, 'calls are numbered in the order in which they start')
      calls.push([event.id, event.name, ''])
    }
    if (event.type === 'tool_arguments') calls[event.index]![2] += event.text
  }
  return calls
}
const calls = (...given: Parameters<typeof eventsOf>[0]) => callsOf(eventsOf([...given, finish()]))
const one = [['call_a', 'read', a]]
const two = [
  ['call_a', 'read', a],
  ['call_b', 'read', b],
]
const named = (id: string, upstreamIndex?: number) => ({ upstreamIndex, id, name: 'read' })

describe('tool calls in pieces', () => {
  test('id and name in every piece make one call', () => {
    assert.deepEqual(
      calls(named('call_a', 0), { ...named('call_a', 0), text: '{"path":' }, { ...named('call_a', 0), text: '"a"}' }),
      one,
    )
    assert.deepEqual(
      calls(named('call_a'), { ...named('call_a'), text: '{"path":' }, { ...named('call_a'), text: '"a"}' }),
      one,
    )
    const unnamed = { name: 'read' }
    assert.equal(calls(unnamed, { ...unnamed, text: '{"path":' }, { ...unnamed, text: '"a"}' }).length, 1)
  })

  test('calls under one index are separated by id, or by complete arguments', () => {
    assert.deepEqual(calls({ ...named('call_a', 0), text: a }, { ...named('call_b', 0), text: b }), two)
    const unnamed = [
      { upstreamIndex: 0, name: 'read', text: a },
      { upstreamIndex: 0, name: 'read', text: b },
    ]
    assert.deepEqual(
      calls(...unnamed).map(([, , args]) => args),
      [a, b],
    )
  })

  test('calls without an index in one event are several', () => {
    assert.deepEqual(
      calls([
        { ...named('call_a'), text: a },
        { ...named('call_b'), text: b },
      ]),
      two,
    )
    assert.equal(calls([{ name: 'read' }, { name: 'read' }]).length, 2)
  })

  test('arguments, name and id come in any order', () => {
    assert.deepEqual(
      calls({ upstreamIndex: 0, id: 'call_a', text: '{"path":' }, { upstreamIndex: 0, name: 'read', text: '"a"}' }),
      one,
    )
    assert.deepEqual(
      calls(
        { upstreamIndex: 0, text: '{"path":' },
        { upstreamIndex: 0, name: 'read', text: '"a"}' },
        named('call_a', 0),
      ),
      one,
    )
    assert.deepEqual(calls({ text: a }, { name: 'read' }, { id: 'call_a' }), one)
  })

  test('calls that are filled in turns, with text in between, are whole', () => {
    const parts = [
      named('call_a', 0),
      named('call_b', 1),
      { upstreamIndex: 0, text: '{"path":' },
      { upstreamIndex: 1, text: '{"path":' },
    ]
    assert.deepEqual(calls(...parts, text, { upstreamIndex: 0, text: '"a"}' }, { upstreamIndex: 1, text: '"b"}' }), two)
  })

  test('arguments that only an opening or a closing event has are not lost', () => {
    assert.deepEqual(
      calls(
        { ...named('call_a', 0), wholeArguments: a },
        { upstreamIndex: 0, text: '' },
        { upstreamIndex: 0, isClosed: true },
      ),
      one,
    )
    assert.deepEqual(calls(named('call_a', 0), { upstreamIndex: 0, wholeArguments: a, isClosed: true }), one)
    assert.deepEqual(
      calls(
        named('call_a', 0),
        { upstreamIndex: 0, text: a.slice(0, 5) },
        { ...named('call_a'), wholeArguments: a, isClosed: true },
      ),
      one,
    )
    assert.deepEqual(calls({ ...named('call_a', 0), text: a }, { ...named('call_a', 0), text: a }), one)
    assert.deepEqual(
      calls(
        { ...named('call_a'), wholeArguments: a, isClosed: true },
        { ...named('call_a', 3), wholeArguments: a, isClosed: true },
      ),
      one,
    )
  })

  test('a name in parts is one name, and an error once the call was sent', () => {
    const start = { ...named('call_a', 0), name: 'get_', isNamePartial: true } as const
    const rest = [
      { upstreamIndex: 0, text: '' },
      { upstreamIndex: 0, text: a },
    ]
    const right = [['call_a', 'get_weather', a]]
    for (const next of ['weather', 'get_weather']) {
      assert.deepEqual(calls(start, { upstreamIndex: 0, name: next, text: '' }, ...rest), right)
      assert.deepEqual(calls(start, { ...start, name: next }, ...rest), right)
    }
    assert.deepEqual(calls(start, { ...named('call_b', 1), text: b }), [
      ['call_a', 'get_', '{}'],
      ['call_b', 'read', b],
    ])
    assert.throws(
      () => calls({ ...named('call_a', 0), text: '' }, { upstreamIndex: 0, name: 'weather' }, ...rest),
      /the name of the call of "read" continues after it was sent/,
    )
  })

  test('an empty object before the arguments is replaced', () => {
    for (const second of [{ upstreamIndex: 0 }, named('call_a', 0)])
      assert.deepEqual(
        calls(
          { ...named('call_a', 0), text: '{}' },
          { ...second, text: a.slice(0, 4) },
          { ...second, text: a.slice(4) },
        ),
        one,
      )
    assert.deepEqual(calls({ ...named('call_a', 0), text: '{}' }), [['call_a', 'read', '{}']])
  })

  test('an empty object after the name is sent before the next call', () => {
    const pieces = ['call_a', 'call_b'].flatMap((id, upstreamIndex) => [
      { ...named(id, upstreamIndex), text: '' },
      { upstreamIndex, text: '{}' },
    ])
    const types = eventsOf(pieces).map(({ type }) => type)
    assert.deepEqual(types, ['tool_call', 'tool_arguments', 'tool_call', 'tool_arguments'])
  })

  test('pieces that repeat the arguments so far are one call', () => {
    const lengths = (...all: number[]) => all.map((length) => ({ ...named('call_a', 0), text: a.slice(0, length) }))
    for (const pieces of [lengths(1, 2, 5, 8, 9, 10, a.length), lengths(4, 4, 9, a.length, a.length), lengths(1, 30)])
      assert.deepEqual(calls(...pieces), one)
    const nested = '{"path":{"path":1}}'
    const pieces = [nested.slice(0, 8), nested.slice(8)].map((text) => ({ ...named('call_a', 0), text }))
    assert.deepEqual(calls(...pieces), [['call_a', 'read', nested]])
    assert.throws(() => calls(...lengths(8, 9, a.length)), /cut off/)
  })

  test('no arguments are an empty object; the end of another block adds no call', () => {
    for (const none of ['', ' ', 'null'])
      assert.deepEqual(calls({ ...named('call_a', 0), text: none }), [['call_a', 'read', '{}']])
    assert.deepEqual(calls({ upstreamIndex: 4, isClosed: true }, {}), [])
    assert.deepEqual(calls({ ...named('call_a'), custom: true }), [['call_a', 'read', '']])
  })

  test('a call without an id gets one, and a repeated id gets another one', () => {
    assert.deepEqual(callsOf(eventsOf([{ name: 'f', responseId: 'c' }, { name: 'g' }], { responseId: 'gen-1' })), [
      ['call_c_0', 'f', '{}'],
      ['call_gen-1_1', 'g', '{}'],
    ])
    const same = [
      { ...named('x', 0), text: '{"path":' },
      { ...named('x', 1), text: b },
      { upstreamIndex: 0, id: 'x', text: '"a"}' },
    ]
    assert.deepEqual(calls(...same), [
      ['x', 'read', a],
      ['call_unnamed_1', 'read', b],
    ])
  })

  test('arguments stream on once id and name are known', () => {
    const given: UpstreamEvent[][] = [
      [{ type: 'call_fragment', ...named('call_a', 0) }],
      [{ type: 'call_fragment', upstreamIndex: 0, text: '{"pa' }],
    ]
    assert.equal(assembled(given.slice(0, 1)).length, 2)
    assert.deepEqual(
      eventsOf([
        named('call_a', 0),
        { upstreamIndex: 0, text: '{"pa' },
        { upstreamIndex: 0, text: 'th":"a"}' },
        finish(),
      ]).map((event) => (event.type === 'tool_arguments' ? event.text : event.type)),
      ['tool_call', '{"pa', 'th":"a"}', 'finish'],
    )
  })

  test('arguments that are cut are an error, unless the response was cut at its limit', () => {
    const cut = { ...named('call_a', 0), text: '{"city": "ari' }
    assert.throws(() => eventsOf([cut, finish()]), /arguments of the call of "read" are cut off/)
    assert.throws(() => eventsOf([cut]), /cut off/)
    assert.equal(callsOf(eventsOf([cut, finish('length')]))[0]![2], '{"city": "ari')
    const tokens = { prompt: 1, completion: 10, cached: 0, cacheWritten: 0, reasoning: 0 }
    const atLimit = eventsOf([cut, finish(), { type: 'usage', tokens }], { outputLimit: 10 })
    assert.deepEqual(atLimit.at(-1), { type: 'finish', reason: 'length', native: 'tool_calls' })
    assert.throws(() => eventsOf([cut, finish(), { type: 'usage', tokens }], { outputLimit: 11 }), /cut off/)
  })

  test('a call without a name is an error', () => {
    assert.throws(() => eventsOf([{ upstreamIndex: 0, id: 'call_a', text: a }, finish()]), /a tool without a name/)
    assert.deepEqual(calls({ ...named('call_a', 0), text: `${a}\n}` }), one)
  })

  test('a second object behind the first is another call of the same tool', () => {
    const argumentsOf = (...pieces: Piece[]) => calls(...pieces).map(([, name, args]) => [name, args])
    const both = [
      ['read', a],
      ['read', b],
    ]
    assert.deepEqual(argumentsOf({ ...named('call_a', 0), text: a + b }), both)
    assert.deepEqual(argumentsOf({ ...named('call_a', 0), text: a }, { upstreamIndex: 0, text: b }), both)
    assert.deepEqual(argumentsOf({ ...named('call_a'), text: `${a}\n${b.slice(0, 4)}` }, { text: b.slice(4) }), both)
    assert.throws(() => calls({ ...named('call_a', 0), wholeArguments: a + b, isClosed: true }), /are two objects/)
  })

  test('arguments behind an empty object that clients have are an error', () => {
    assert.throws(
      () => calls(named('call_a', 0), { upstreamIndex: 0, text: '{}' }, { upstreamIndex: 0, text: a }),
      /are two objects/,
    )
    assert.throws(() => calls({ ...named('call_a', 0), text: '{}', isClosed: true }, { text: a }), /are two objects/)
  })

  test('very many objects in one piece, and long arguments, take little time', () => {
    const count = maxToolCalls / 2
    const startedAt = performance.now()
    assert.equal(calls({ ...named('call_a', 0), text: (a + b).repeat(count) }).length, maxToolCalls)
    assert.throws(() => calls({ ...named('call_a', 0), text: (a + b).repeat(20_000) }), /more than 5000 tool calls/)
    const pieces = Array.from({ length: 100_000 }, () => ({ text: 'abcd' }))
    assert.equal(callsOf(eventsOf([{ ...named('call_a', 0), text: '"{' }, ...pieces, finish('length')])).length, 1)
    const long = `{"text":"${'a'.repeat(16_000_000)}"}`
    assert.equal(calls({ ...named('call_a', 0), text: long }, { upstreamIndex: 0, text: ` ${long}` }).length, 1)
    // Quadratic work takes over a minute.
    assert.ok(performance.now() - startedAt < 20_000)
  })
})

const argument = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
const callArbitrary = fc.record({
  name: fc.constantFrom('read', 'write', 'f'),
  input: argument,
  cuts: fc.array(fc.nat(), { maxLength: 4 }),
})
const choices = fc.infiniteStream(fc.nat())
type Style = 'indexes and ids' | 'indexes alone' | 'ids alone' | 'ids under one index'
const style = fc.constantFrom<Style>('indexes and ids', 'indexes alone', 'ids alone', 'ids under one index')
type Made = { id: string; name: string; args: string; pieces: Piece[] }

/** The pieces of a call: arguments are cut anywhere; id and name come in one piece, in several, or in all. */
function made(
  { name, input, cuts }: { name: string; input: object; cuts: number[] },
  at: number,
  by: Style,
  next: () => number,
): Made {
  const id = `call_${at}`
  const args = JSON.stringify(input)
  const places = [0, ...cuts.map((cut) => cut % args.length), args.length].sort((x, y) => x - y)
  const texts = places.slice(1).map((to, index) => args.slice(places[index], to))
  const withName = next() % texts.length
  const withId = next() % texts.length
  const pieces = texts.map((piece, index): Piece => {
    const isNamed = index === withName || next() % 3 === 0
    const isIdentified = by.startsWith('ids') || (by === 'indexes and ids' && (index === withId || next() % 3 === 0))
    return {
      text: piece,
      ...(by !== 'ids alone' && { upstreamIndex: by === 'ids under one index' ? 0 : at }),
      ...(isNamed && { name }),
      ...(isIdentified && { id }),
    }
  })
  return {
    id: by === 'indexes alone' ? '' : id,
    name,
    args,
    pieces: pieces.filter(({ text: piece, id, name }) => piece || id || name),
  }
}

/** All pieces, with those of each call in order, mixed with other events, in one or several upstream events. */
function interleaved(all: Made[], next: () => number): (Piece | CompletionEvent)[][] {
  const rest = all.map(({ pieces }) => [...pieces])
  const given: (Piece | CompletionEvent)[][] = []
  // Each call starts before the next one: its index in the response is the order in which calls start.
  const first = rest.map((pieces) => pieces.shift()!)
  let started = 0
  while (started < all.length || rest.some((pieces) => pieces.length > 0)) {
    const open = rest.slice(0, started).filter((pieces) => pieces.length > 0)
    const startsNext = started < all.length && (open.length === 0 || next() % 2 === 0)
    const piece = startsNext ? first[started++]! : open[next() % open.length]!.shift()!
    if (given.length > 0 && next() % 4 === 0) given.at(-1)!.push(piece)
    else given.push([piece])
    if (next() % 5 === 0) given.push([text])
  }
  return given
}

test('every split and interleaving of the parts of calls gives the same calls', () => {
  fc.assert(
    fc.property(fc.array(callArbitrary, { minLength: 1, maxLength: 4 }), style, choices, (given, by, chosen) => {
      const next = () => chosen.next().value as number
      const all = given.map((one, at) => made(one, at, by, next))
      const events = eventsOf([...interleaved(all, next), finish()])
      const right = all.map(({ id, name, args }, at) => [id || `call_unnamed_${at}`, name, args])
      assert.deepEqual(callsOf(events), right)
    }),
    { numRuns: 2000 },
  )
})
