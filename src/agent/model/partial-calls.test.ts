import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Chunk, ResponseAssembler } from './openai-response.ts'
import type { CallDelta } from './partial-calls.ts'

/** Name and arguments of the calls of a response. Each list is a chunk. */
function assemble(chunks: CallDelta[][]): (string | undefined)[][] {
  const assembler = new ResponseAssembler(() => 'new')
  for (const tool_calls of chunks) Array.from(assembler.add({ choices: [{ delta: { tool_calls } }] } as Chunk))
  const end = assembler.complete()
  assert.equal(end.type, 'message.completed')
  return (end.message.calls ?? []).map(({ id, name, arguments: text }) => [id, name, text])
}

const piece = (index: number | undefined, id: string | undefined, name: string | undefined, text: string) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { ...(name === undefined ? {} : { name }), arguments: text },
})
const a = '{"path":"a"}'
const b = '{"path":"b"}'
const two = [
  ['x', 'read', a],
  ['y', 'read', b],
]

for (const [form, chunks, expected] of [
  ['share index 1', [[piece(1, 'x', 'read', a)], [piece(1, 'y', 'read', b)]], two],
  [
    'share an index and alternate',
    [
      [piece(0, 'x', 'read', '')],
      [piece(0, 'y', 'read', '')],
      [piece(0, 'x', undefined, a)],
      [piece(0, 'y', undefined, b)],
    ],
    two,
  ],
  [
    'share an index, with an id only in their first pieces',
    [[piece(0, 'x', 'read', a)], [piece(0, 'y', 'read', '{')], [piece(0, undefined, undefined, b.slice(1))]],
    two,
  ],
  ['repeat id and name', [[piece(0, 'x', 'read', a.slice(0, 4))], [piece(0, 'x', 'read', a.slice(4))]], [two[0]]],
  [
    'have neither index nor id',
    [[piece(undefined, undefined, 'read', a)], [piece(undefined, undefined, 'read', b)]],
    [
      ['call_new', 'read', a],
      ['call_new', 'read', b],
    ],
  ],
  [
    'get another id in each piece',
    [[piece(0, 'x', 'read', a.slice(0, 4))], [piece(0, 'z', undefined, a.slice(4))]],
    [two[0]],
  ],
  ['get their id late', [[piece(0, undefined, 'read', a)], [piece(0, 'x', undefined, '')]], [two[0]]],
  ['share an id', [[piece(0, 'x', 'read', a)], [piece(1, 'x', 'read', b)]], [two[0], ['x', 'read', b]]],
] as const)
  test(`tool calls of a response that ${form} are assembled`, () => {
    assert.deepEqual(assemble(chunks.map((chunk) => [...chunk])), expected)
  })

type Style = 'indexes and ids' | 'indexes alone' | 'ids alone' | 'ids under one index'
const style = fc.constantFrom<Style>('indexes and ids', 'indexes alone', 'ids alone', 'ids under one index')
const callArbitrary = fc.record({
  name: fc.constantFrom('read', 'write', 'f'),
  input: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  cuts: fc.array(fc.nat(), { maxLength: 4 }),
})

test('every split and interleaving of pieces of tool calls gives the same calls', () => {
  const choices = fc.infiniteStream(fc.nat())
  fc.assert(
    fc.property(fc.array(callArbitrary, { minLength: 1, maxLength: 4 }), style, choices, (given, by, chosen) => {
      const next = (count: number) => chosen.next().value! % count
      const rest = given.map(({ name, input, cuts }, at) => {
        const args = JSON.stringify(input)
        const places = [0, ...cuts.map((cut) => cut % args.length), args.length].sort((one, other) => one - other)
        return places.slice(1).map((to, number) => {
          const isFirst = number === 0
          const hasId = by.startsWith('ids') || (by === 'indexes and ids' && (isFirst || next(3) === 0))
          const index = by === 'ids alone' ? undefined : by === 'ids under one index' ? 0 : at
          const sentName = isFirst || next(3) === 0 ? name : undefined
          return piece(index, hasId ? `c${at}` : undefined, sentName, args.slice(places[number], to))
        })
      })
      const chunks: CallDelta[][] = []
      for (let started = 0; rest.some((pieces) => pieces.length > 0); ) {
        const open = rest.slice(0, started).filter((pieces) => pieces.length > 0)
        const isNext = started < rest.length && (open.length === 0 || next(2) === 0)
        const added = (isNext ? rest[started++]! : open[next(open.length)]!).shift()!
        if (chunks.length > 0 && next(4) === 0) chunks.at(-1)!.push(added)
        else chunks.push([added])
      }
      const id = (at: number) => (by === 'indexes alone' ? 'call_new' : `c${at}`)
      assert.deepEqual(
        assemble(chunks),
        given.map(({ name, input }, at) => [id(at), name, JSON.stringify(input)]),
      )
    }),
    { numRuns: 1000 },
  )
})
