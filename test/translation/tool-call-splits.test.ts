import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { SseReader } from '#platform/net/sse.ts'
import { type SimulatedProtocol, simulatedProtocols } from '#test/harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { type Door, doors, streamReaders, type Understood, wholeReaders } from '../tool-calls/clients.ts'
import { type ExpectedCall, streamOf, wholeOf } from '../tool-calls/splits.ts'

/** How many splits are tried for each pair of an upstream and a client. */
const splits = Number(process.env.TOOL_CALL_SPLITS ?? 10)

const argument = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
const callArbitrary = fc.record({ name: fc.constantFrom('read', 'write', 'f'), input: argument })
const callsArbitrary = fc
  .tuple(fc.array(callArbitrary, { minLength: 1, maxLength: 4 }), fc.constantFrom('given', 'missing'))
  .map(([calls, ids]) =>
    calls.map(({ name, input }, at): ExpectedCall => {
      const args = JSON.stringify(input)
      return { id: ids === 'given' ? `call_${at}` : '', name, args }
    }),
  )
const choices = fc.infiniteStream(fc.nat())

/** The same calls, each once, in their order: with their own ids, or with ids that differ where there are none. */
function assertSame({ calls }: Understood, expected: ExpectedCall[]): void {
  assert.deepEqual(
    calls.map(([, name, args]) => [name, JSON.parse(args!)]),
    expected.map(({ name, args }) => [name, JSON.parse(args)]),
  )
  for (const [at, { id }] of expected.entries()) if (id) assert.equal(calls[at]![0], id)
  assert.equal(new Set(calls.map(([id]) => id)).size, expected.length)
  assert.ok(calls.every(([id]) => id))
}

describe('any split, repetition and order of the pieces of calls', () => {
  let response = { type: '', body: '' }
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithUpstream(() => ({ status: 200, ...response }), ['m'])
  })
  after(() => recorded[Symbol.asyncDispose]())

  async function understood(protocol: SimulatedProtocol, door: Door, stream: boolean): Promise<Understood> {
    const { path, body } = doors[door]
    const reply = await recorded.service.ask('POST', path, { body: { ...body, model: `${protocol}/m`, stream } })
    assert.equal(reply.status, 200, reply.text)
    if (!stream) return wholeReaders[door](reply.body)
    const events = new SseReader().push(Buffer.from(reply.text))
    return streamReaders[door](events.flatMap(({ data }) => (data.startsWith('{') ? [JSON.parse(data)] : [])))
  }

  for (const protocol of simulatedProtocols)
    for (const door of Object.keys(doors) as Door[])
      for (const stream of [true, false])
        test(`${door} on ${protocol}${stream ? '' : ', whole'}: the same calls`, async () => {
          const property = fc.asyncProperty(callsArbitrary, choices, async (expected, chosen) => {
            const next = () => chosen.next().value as number
            response = stream
              ? { type: 'text/event-stream', body: streamOf(protocol, expected, next) }
              : { type: 'application/json', body: JSON.stringify(wholeOf(protocol, expected, next)) }
            try {
              assertSame(await understood(protocol, door, stream), expected)
            } catch (error) {
              throw new Error(`${response.body}\n${(error as Error).message}`)
            }
          })
          await fc.assert(property, { numRuns: splits, endOnFailure: true })
        })
})
