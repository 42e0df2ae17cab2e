import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fetchSmallJson } from './fetch-small-json.ts'
import type { Sink } from './upstream/upstream.ts'

const request = { origin: 'http://x', path: '/', headers: {}, body: '{}' }

/** Fetches from a scripted upstream, which an abort disconnects. */
function fetchFrom(response: (sink: Sink) => void) {
  const timeouts = { firstByteMs: 1000, idleMs: 1000, usageMs: 1000 }
  const send = (_request: unknown, _timeouts: unknown, sink: Sink) => {
    setImmediate(() => response(sink))
    const abort = () => sink.fail({ kind: 'aborted', phase: 'response', message: 'left' })
    return { abort, pause() {}, resume() {} }
  }
  return fetchSmallJson({ upstreams: { send }, timeouts }, request)
}

test('a response is read completely from any pieces', async () => {
  const read = await fetchFrom((sink) => {
    sink.head(200, {})
    for (const byte of Buffer.from('{"a":1}')) sink.data(Buffer.from([byte]))
    sink.end()
  })
  assert.deepEqual(read, { status: 200, body: { a: 1 } })
})

test('an endless response is abandoned at the timeout', { timeout: 600_000 }, async () => {
  let dripping: NodeJS.Timeout | undefined
  const read = await fetchFrom((sink) => {
    sink.head(200, {})
    dripping = setInterval(() => sink.data(Buffer.from(' ')), 20)
  })
  clearInterval(dripping)
  assert.equal(read, undefined)
})
