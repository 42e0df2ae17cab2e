import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { chatClientProtocols } from '#gateway/clients/client-protocols.ts'
import { protocols } from '#gateway/providers/protocols.ts'
import type { Protocol } from '#platform/core/vocabulary.ts'
import { SseReader } from '#platform/net/sse.ts'

const head = { id: 'gen-1', model: 'a/b', provider: 'A', createdSeconds: 1 }

/** Reads a response as a client of the protocol does. */
function understood(protocol: Protocol, events: CompletionEvent[], streamed: boolean): CompletionEvent[] {
  const client = chatClientProtocols.find((one) => one.protocol === protocol)!
  const providerProtocol = protocols[protocol]
  if (!streamed) return providerProtocol.readBody(JSON.parse(JSON.stringify(client.writeBody(head, events, undefined))))
  const writer = client.createWriter(head, { includeUsage: true })
  const text = events.map(writer.event).join('') + writer.end(undefined)
  const read = providerProtocol.createReader()
  return new SseReader().push(Buffer.from(text)).flatMap((event) => (event.data === '[DONE]' ? [] : read(event)))
}

const response: CompletionEvent[] = [
  { type: 'text', text: 'One Two.' },
  { type: 'citation', url: 'https://a.example/', title: 'A', start: 4, end: 8 },
  { type: 'image', url: 'data:image/png;base64,AAAA' },
  { type: 'tool_call', index: 0, id: 'call_1', name: 'patch', custom: true },
  { type: 'tool_arguments', index: 0, text: 'a b' },
  { type: 'finish', reason: 'tool_calls', native: 'tool_calls' },
]

describe('parts of responses', () => {
  for (const protocol of ['openai-chat', 'openai-responses'] as const)
    for (const streamed of [false, true])
      test(`${protocol}, ${streamed ? 'streamed' : 'whole'}: has citations, images and custom calls`, () => {
        const received = understood(protocol, response, streamed).filter(
          ({ type }) => type !== 'started' && type !== 'billed_piece',
        )
        const byType = (events: CompletionEvent[]) => events.toSorted((a, b) => (a.type < b.type ? -1 : 1))
        const expected = response.map((event) => (event.type === 'finish' ? { ...event, native: 'completed' } : event))
        const plain = received.map((event) => (event.type === 'finish' ? { ...event, native: 'completed' } : event))
        assert.deepEqual(byType(plain), byType(expected))
      })
})
