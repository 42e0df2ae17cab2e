import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { DirectResponse } from './direct-response.ts'

/** What a client gets of a response that is written so. */
async function got(write: (response: DirectResponse) => void) {
  const answer = (raw: ServerResponse) => write(new DirectResponse(raw, ['x-request-id', 'r']))
  await using server = createServer((_request, raw) => answer(raw)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return { headers: response.headers, status: response.status, text: await response.text() }
}

test('the last piece that goes with the end is sent, also where it is the only one', async () => {
  for (const pieces of [['a', 'b'], []]) {
    const { text, headers } = await got((response) => {
      for (const piece of pieces) response.write(piece)
      response.end(Buffer.from('c'))
    })
    assert.deepEqual([text, headers.get('content-type')], [`${pieces.join('')}c`, 'text/event-stream; charset=utf-8'])
  }
})

test('a header that is set again has its last value', async () => {
  const { headers, status, text } = await got((response) => {
    response.header('x-generation-id', 'one')
    response.header('x-generation-id', 'two')
    response.send(201, 'text/plain', Buffer.from('ä'))
  })
  assert.deepEqual([headers.get('x-generation-id'), headers.get('x-request-id')], ['two', 'r'])
  assert.deepEqual([status, headers.get('content-length'), text], [201, '2', 'ä'])
})

test('a response reports that its client disconnected', async () => {
  const told = Promise.withResolvers<void>()
  const leaving = got((response) => {
    response.signal.addEventListener('abort', told.resolve)
    response.breakOff()
    response.closed()
  })
  await assert.rejects(leaving)
  await told.promise
})

test('the head of a stream is kept as one text, and not as the pieces that it was put together from', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const openings = Array.from({ length: 500 }, () => {
    const raw = { _header: '', writeHead: () => {}, write: () => true, socket: null }
    for (let at = 100; at < 200; at++) raw._header += at
    return { raw, open: () => new DirectResponse(raw as never, []).write('a') }
  })
  collect()
  const before = process.memoryUsage().heapUsed
  for (const { open } of openings) open()
  collect()
  const spared = (before - process.memoryUsage().heapUsed) / openings.length
  // A hundred pieces of 32 bytes each, less the 300 characters.
  assert.ok(spared > 2000, `${spared} bytes for each`)
  assert.equal(openings[0]!.raw._header.length, 300)
})
