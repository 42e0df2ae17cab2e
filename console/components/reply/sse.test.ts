import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEventData } from './sse.ts'

async function read(...pieces: (string | Uint8Array)[]): Promise<string[]> {
  async function* bytes() {
    for (const piece of pieces) yield typeof piece === 'string' ? new TextEncoder().encode(piece) : piece
  }
  return Array.fromAsync(readEventData(bytes()))
}

test('readEventData yields whole events wherever the stream is split', async () => {
  const text = new TextEncoder().encode('data: {"a":"é"}\n\ndata: 2\n\n')
  for (let at = 0; at <= text.length; at++) {
    assert.deepEqual(await read(text.slice(0, at), text.slice(at)), ['{"a":"é"}', '2'])
  }
})

test('readEventData ignores comments and stops at [DONE]', async () => {
  assert.deepEqual(await read(': working\n\ndata: 1\n\ndata: [DONE]\n\ndata: 3\n\n'), ['1'])
})
