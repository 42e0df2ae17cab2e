import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { until } from '#test/harness/until.ts'
import { createHttpUpstreams } from './http-upstream.ts'
import type { Exchange, Sink, TransportFailure } from './upstream.ts'

const long = { firstByteMs: 60_000, idleMs: 60_000, usageMs: 60_000 }

type Received = { status: number | undefined; text: string; ended: number; failures: TransportFailure[] }
type SendOptions = Partial<typeof long> & { onData?: (received: Received) => void }

/** An upstream with this response, and a client for it. */
async function upstream(respond: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => respond(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const http = createHttpUpstreams({ connectMs: 60_000 })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    server,
    send({ onData = () => {}, ...limits }: SendOptions = {}): {
      exchange: Exchange
      received: Received
      finished: Promise<unknown>
    } {
      const received: Received = { status: undefined, text: '', ended: 0, failures: [] }
      const sink: Sink = {
        head: (status) => Object.assign(received, { status }),
        data(chunk) {
          received.text += chunk
          onData(received)
        },
        end: () => received.ended++,
        fail: (failure) => received.failures.push(failure),
      }
      const exchange = http.send({ origin, path: '/', headers: {}, body: '{}' }, { ...long, ...limits }, sink)
      return { exchange, received, finished: until(() => received.ended + received.failures.length > 0) }
    },
    async [Symbol.asyncDispose]() {
      await http.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

test('a response is delivered, plain or compressed, with one end', async () => {
  for (const [headers, body] of [
    [{}, 'hello'],
    [{ 'content-encoding': 'GZIP' }, gzipSync('hello')],
    [{ 'content-encoding': 'deflate' }, deflateSync('hello')],
    [{ 'content-encoding': 'deflate' }, deflateRawSync('hello')],
    [{ 'content-encoding': 'zstd' }, zstdCompressSync('hello')],
    [{ 'content-encoding': 'identity, gzip' }, gzipSync('hello')],
    [{ 'content-encoding': 'gzip, br' }, brotliCompressSync(gzipSync('hello'))],
    [{ 'content-encoding': 'gzip' }, 'hello'],
    [{ 'content-encoding': 'gzip' }, 'hel'],
  ] as const) {
    await using fixture = await upstream((response) => response.writeHead(201, headers).end(body))
    const { received, finished } = fixture.send()
    await finished
    const text = body === 'hel' ? 'hel' : 'hello'
    assert.deepEqual(received, { status: 201, text, ended: 1, failures: [] })
  }
})

test('a silent upstream times out before the first byte', async () => {
  await using fixture = await upstream(() => {})
  const { received, finished } = fixture.send({ firstByteMs: 40 })
  await finished
  assert.deepEqual(received.failures, [{ kind: 'timeout', phase: 'first_byte', message: 'no byte for 40 ms' }])
})

test('an upstream that falls silent in its response times out and is disconnected', async () => {
  const closed = Promise.withResolvers<void>()
  await using fixture = await upstream((response) => response.on('close', closed.resolve).write('hel'))
  const { received, finished } = fixture.send({ idleMs: 40 })
  await finished
  assert.deepEqual(received.failures, [{ kind: 'timeout', phase: 'response', message: 'no byte for 40 ms' }])
  await closed.promise
})

test('a paused reader does not time out, a resumed one does', async () => {
  await using fixture = await upstream((response) => response.write('hel'))
  const { exchange, received, finished } = fixture.send({ idleMs: 50, onData: () => exchange.pause() })
  await until(() => received.text === 'hel')
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.equal(received.failures.length, 0)
  exchange.resume()
  await finished
  assert.equal(received.failures[0]!.kind, 'timeout')
})

test('a paused reader throttles the upstream and loses nothing', async () => {
  const size = 30_000_000
  let sent = 0
  await using fixture = await upstream(function send(response) {
    while (sent < size) {
      sent += 100_000
      if (!response.write('x'.repeat(100_000))) return void response.once('drain', () => send(response))
    }
    response.end()
  })
  let pauses = 0
  const { exchange, received, finished } = fixture.send({ onData: () => void (pauses++ === 0 && exchange.pause()) })
  await until(() => pauses > 0)
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.ok(sent < size, `${sent} bytes were sent to a paused reader`)
  exchange.resume()
  await finished
  assert.equal(received.text.length, size)
})

test('a refused connection is refused, one closed in the response is reset', async () => {
  await using fixture = await upstream((response) => response.write('hel', () => response.destroy()))
  const broken = fixture.send()
  await broken.finished
  assert.equal(typeof broken.exchange.connectMs, 'number')
  assert.deepEqual([broken.received.failures[0]!.kind, broken.received.failures[0]!.phase], ['reset', 'response'])
  fixture.server.closeAllConnections()
  await new Promise((resolve) => fixture.server.close(resolve))
  const refused = fixture.send()
  await refused.finished
  assert.equal(refused.exchange.connectMs, undefined)
  assert.deepEqual([refused.received.failures[0]!.kind, refused.received.failures[0]!.phase], ['refused', 'connect'])
})

test('an aborted request ends at once and is not sent any more', async () => {
  let requests = 0
  await using fixture = await upstream((response) => {
    requests++
    response.end('hello')
  })
  const { exchange, received } = fixture.send()
  exchange.abort()
  assert.deepEqual(received.failures, [{ kind: 'aborted', phase: 'connect', message: 'the client disconnected' }])
  const next = fixture.send()
  await next.finished
  assert.deepEqual([received.status, received.text, received.ended, received.failures.length], [undefined, '', 0, 1])
  assert.equal(requests, 1)
})

test('a body in pieces arrives whole, with its content-length', async () => {
  const result = Promise.withResolvers<{ length: string | undefined; text: string }>()
  const server = createServer(async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part as Buffer)
    result.resolve({ length: request.headers['content-length'], text: Buffer.concat(parts).toString() })
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const http = createHttpUpstreams({ connectMs: 60_000 })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sink: Sink = { head() {}, data() {}, end() {}, fail: ({ message }) => result.reject(new Error(message)) }
  const body = [Buffer.from('{"a":"'), Buffer.alloc(500_000, 'x'), Buffer.from('ü"}')]
  http.send({ origin, path: '/', headers: {}, body }, long, sink)
  const { length, text } = await result.promise
  assert.deepEqual([length, text], ['500010', `{"a":"${'x'.repeat(500_000)}ü"}`])
  await http.close()
  server.close()
})

/** A server that answers the first request of each connection and destroys the connection at the second one. */
function closingSilently(response: (socket: Socket) => void) {
  const requests = { first: 0, later: 0 }
  const server = createTcpServer((socket) => {
    let count = 0
    socket.on('error', () => {})
    socket.on('data', () => {
      count++
      requests[count === 1 ? 'first' : 'later']++
      if (count === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello')
      else response(socket)
    })
  }).listen(0, '127.0.0.1')
  return { server, requests }
}

async function sendTwice(server: ReturnType<typeof createTcpServer>) {
  await once(server, 'listening')
  const http = createHttpUpstreams({ connectMs: 60_000 })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const responses: string[] = []
  for (let count = 0; count < 2; count++) {
    const { promise, resolve } = Promise.withResolvers<string>()
    let text = ''
    http.send({ origin, path: '/', headers: {}, body: '{}' }, long, {
      head() {},
      data: (chunk) => {
        text += chunk
      },
      end: () => resolve(text),
      fail: ({ kind, phase }) => resolve(`${kind} ${phase}`),
    })
    responses.push(await promise)
    // Undici returns a connection to its pool after it has reported the end of the response.
    for (let turn = 0; turn < 3; turn++) await nextTurn()
  }
  await http.close()
  server.close()
  return responses
}

test('a reused connection that breaks before a byte of the response is replaced once', async () => {
  const { server, requests } = closingSilently((socket) => socket.destroy())
  assert.deepEqual(await sendTwice(server), ['hello', 'hello'])
  assert.deepEqual(requests, { first: 2, later: 1 })
})

test('a reused connection that is reset before a byte of the response is replaced once', async () => {
  const { server } = closingSilently((socket) => socket.resetAndDestroy())
  assert.deepEqual(await sendTwice(server), ['hello', 'hello'])
})

test('a reused connection that breaks within the head of the response is not replaced', async () => {
  const { server, requests } = closingSilently((socket) => socket.end('HTTP/1.1 200'))
  assert.deepEqual(await sendTwice(server), ['hello', 'reset first_byte'])
  assert.deepEqual(requests, { first: 1, later: 1 })
})

test('a new connection that breaks before a byte of the response is not replaced', async () => {
  let requests = 0
  await using server = await upstream((response) => {
    requests++
    response.destroy()
  })
  const request = server.send()
  await request.finished
  assert.equal(requests, 1)
})
