import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import type { ClientProtocol } from './client-protocol.ts'
import { StreamRelay } from './relay-stream.ts'

test('small pieces are written, empty ones are not', async () => {
  const writes: string[] = []
  const response = {
    signal: new AbortController().signal,
    write: (chunk: Buffer | string) => Boolean(writes.push(String(chunk))),
  } as unknown as ResponseStream
  const words = ['', '.', '']
  const client = { createWriter: () => ({ event: () => words.shift()! }) } as unknown as ClientProtocol
  const head = { id: 'gen-1', model: 'a/b', createdSeconds: 1 }
  const rest = {
    passesResponse: false,
    includeUsage: false,
    count: () => {},
    countText: () => {},
    price: () => ({ costUsd: 0 }),
  }
  const relay = new StreamRelay(response, { client, head, ...rest })
  for (const text of ['a', 'b', 'c']) {
    relay.onEvents([{ type: 'text', text }], Buffer.from(text))
    relay.flush()
    await nextTurn()
  }
  assert.deepEqual(writes, ['.'])
})
