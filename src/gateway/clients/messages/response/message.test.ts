import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messagesClientProtocol } from '../messages-client-protocol.ts'
import { toCitation, toMessageUsage } from './message.ts'

test('without usage every count is zero', () => {
  const usage = toMessageUsage(undefined) as Record<string, unknown>
  const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage
  assert.deepEqual([input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens], [0, 0, 0, 0])
  assert.deepEqual([usage.output_tokens_details, 'cost' in usage], [null, false])
})

test('the cost is added to the usage of an event; other events are unchanged', () => {
  const event = (data: object) => Buffer.from(`event: x\ndata: ${JSON.stringify(data)}\n\n`)
  const raw = event({ type: 'message_delta', delta: {} })
  assert.equal(messagesClientProtocol.addCostToEvent(raw, { costUsd: 0.5 }, { includeUsage: true }), raw)
  const written = messagesClientProtocol.addCostToEvent(
    event({ type: 'x', usage: { output_tokens: 2 } }),
    { costUsd: 0.5 },
    { includeUsage: true },
  )
  assert.equal(written.toString(), event({ type: 'x', usage: { output_tokens: 2, cost: 0.5 } }).toString())
})

test('a whole response has the documented fields and a name', () => {
  const { response } = messagesClientProtocol.operation
  const whole = messagesClientProtocol.writeBody(
    { id: 'gen-1', model: 'a/b', createdSeconds: 1 },
    [],
    undefined,
  ) as object
  assert.equal(response.safeParse(whole).success, true)
  assert.equal(response.safeParse({ ...whole, id: undefined }).success, false)
})

test('the end of a stream has every field of a stop, like a whole response', () => {
  const head = { id: 'gen-1', model: 'a/b', createdSeconds: 1 }
  const stopped = { stop_reason: 'end_turn', stop_sequence: null, stop_details: null, container: null }
  const written = messagesClientProtocol.createWriter(head, { includeUsage: true }).end(undefined)
  assert.ok(written.includes(`"delta":${JSON.stringify(stopped)}`))
  assert.partialDeepStrictEqual(messagesClientProtocol.writeBody(head, [], undefined), stopped)
})

test('a refusal has the details of one, whole and streamed', () => {
  const head = { id: 'gen-1', model: 'a/b', createdSeconds: 1 }
  const refused = { type: 'finish', reason: 'content_filter', native: 'content_filter' } as const
  const details = { type: 'refusal', category: null, explanation: null }
  assert.partialDeepStrictEqual(messagesClientProtocol.writeBody(head, [refused], undefined), { stop_details: details })
  const writer = messagesClientProtocol.createWriter(head, { includeUsage: true })
  writer.event(refused)
  assert.ok(writer.end(undefined).includes(`"stop_details":${JSON.stringify(details)}`))
})

test('a citation without a title has an empty one, which every client accepts', () => {
  assert.partialDeepStrictEqual(toCitation({ url: 'https://a.example/' }), { url: 'https://a.example/', title: '' })
})
