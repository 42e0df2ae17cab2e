import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { until } from '#test/harness/until.ts'
import { overHttp } from './http-upstream.ts'
import type { Exchange, Sink, TransportFailure } from './upstream.ts'

const long = { firstByteMs: 60_000, silenceMs: 60_000, usageMs: 60_000 }

type Heard = { status: number | undefined; text: string; ended: number; failures: TransportFailure[] }
type Asked = Partial<typeof long> & { onData?: (heard: Heard) => void }

/** An upstream that answers so, and the client of it. */
async function upstream(answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const http = overHttp({ connectMs: 60_000 })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    server,
    ask({ onData = () => {}, ...limits }: Asked = {}): { exchange: Exchange; heard: Heard; over: Promise<unknown> } {
      const heard: Heard = { status: undefined, text: '', ended: 0, failures: [] }
      const sink: Sink = {
        head: (status) => Object.assign(heard, { status }),
        data(chunk) {
          heard.text += chunk
          onData(heard)
        },
        end: () => heard.ended++,
        failed: (failure) => heard.failures.push(failure),
      }
      const exchange = http.send({ origin, path: '/', headers: {}, body: '{}' }, { ...long, ...limits }, sink)
      return { exchange, heard, over: until(() => heard.ended + heard.failures.length > 0) }
    },
    async [Symbol.asyncDispose]() {
      await http.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

test('an answer is told as it comes, plain or compressed, and its end once', async () => {
  for (const [headers, body] of [
    [{}, 'hello'],
    [{ 'content-encoding': 'GZIP' }, gzipSync('hello')],
  ] as const) {
    await using place = await upstream((response) => response.writeHead(201, headers).end(body))
    const { heard, over } = place.ask()
    await over
    assert.deepEqual(heard, { status: 201, text: 'hello', ended: 1, failures: [] })
  }
})

test('an upstream that says nothing is given up after the time to the first byte', async () => {
  await using place = await upstream(() => {})
  const { heard, over } = place.ask({ firstByteMs: 40 })
  await over
  assert.deepEqual(heard.failures, [{ kind: 'timeout', phase: 'first_byte', message: 'no byte for 40 ms' }])
})

test('one that falls silent in its answer is given up after the time between two pieces, and its connection ended', async () => {
  const closed = Promise.withResolvers<void>()
  await using place = await upstream((response) => response.on('close', closed.resolve).write('hel'))
  const { heard, over } = place.ask({ silenceMs: 40 })
  await over
  assert.deepEqual(heard.failures, [{ kind: 'timeout', phase: 'answer', message: 'no byte for 40 ms' }])
  await closed.promise
})

test('a reader that pauses is not a silent upstream; when it reads on, the deadline holds again', async () => {
  await using place = await upstream((response) => response.write('hel'))
  const { exchange, heard, over } = place.ask({ silenceMs: 50, onData: () => exchange.pause() })
  await until(() => heard.text === 'hel')
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.equal(heard.failures.length, 0)
  exchange.resume()
  await over
  assert.equal(heard.failures[0]!.kind, 'timeout')
})

test('a reader that pauses holds the upstream back, and has all when it reads on', async () => {
  const size = 30_000_000
  let sent = 0
  await using place = await upstream(function send(response) {
    while (sent < size) {
      sent += 100_000
      if (!response.write('x'.repeat(100_000))) return void response.once('drain', () => send(response))
    }
    response.end()
  })
  let pauses = 0
  const { exchange, heard, over } = place.ask({ onData: () => void (pauses++ === 0 && exchange.pause()) })
  await until(() => pauses > 0)
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.ok(sent < size, `${sent} bytes were sent to one who does not read`)
  exchange.resume()
  await over
  assert.equal(heard.text.length, size)
})

test('who does not take a connection has refused it; who ends one in the answer has reset it', async () => {
  await using place = await upstream((response) => response.write('hel', () => response.destroy()))
  const broken = place.ask()
  await broken.over
  assert.equal(typeof broken.exchange.connectMs, 'number')
  assert.deepEqual([broken.heard.failures[0]!.kind, broken.heard.failures[0]!.phase], ['reset', 'answer'])
  place.server.closeAllConnections()
  await new Promise((resolve) => place.server.close(resolve))
  const refused = place.ask()
  await refused.over
  assert.equal(refused.exchange.connectMs, undefined)
  assert.deepEqual([refused.heard.failures[0]!.kind, refused.heard.failures[0]!.phase], ['refused', 'connect'])
})

test('what is left ends at once, hears of nothing more, and is not asked any more if it was not yet', async () => {
  let asked = 0
  await using place = await upstream((response) => {
    asked++
    response.end('hello')
  })
  const { exchange, heard } = place.ask()
  exchange.abort()
  assert.deepEqual(heard.failures, [{ kind: 'aborted', phase: 'connect', message: 'the client left' }])
  const next = place.ask()
  await next.over
  assert.deepEqual([heard.status, heard.text, heard.ended, heard.failures.length], [undefined, '', 0, 1])
  assert.equal(asked, 1)
})

test('a body in pieces arrives whole, with its length told beforehand', async () => {
  const got = Promise.withResolvers<{ length: string | undefined; text: string }>()
  const server = createServer(async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part as Buffer)
    got.resolve({ length: request.headers['content-length'], text: Buffer.concat(parts).toString() })
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const http = overHttp({ connectMs: 60_000 })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sink: Sink = { head() {}, data() {}, end() {}, failed: ({ message }) => got.reject(new Error(message)) }
  const body = [Buffer.from('{"a":"'), Buffer.alloc(500_000, 'x'), Buffer.from('ü"}')]
  http.send({ origin, path: '/', headers: {}, body }, long, sink)
  const { length, text } = await got.promise
  assert.deepEqual([length, text], ['500010', `{"a":"${'x'.repeat(500_000)}ü"}`])
  await http.close()
  server.close()
})

/** A server that answers the first request of each connection and destroys the connection at the second one. */
function closingSilently(answer: (socket: Socket) => void) {
  const requests = { first: 0, later: 0 }
  const server = createTcpServer((socket) => {
    let count = 0
    socket.on('error', () => {})
    socket.on('data', () => {
      count++
      requests[count === 1 ? 'first' : 'later']++
      if (count === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello')
      else answer(socket)
    })
  }).listen(0, '127.0.0.1')
  return { server, requests }
}

async function askTwice(server: ReturnType<typeof createTcpServer>) {
  await once(server, 'listening')
  const http = overHttp({ connectMs: 60_000 })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const answers: string[] = []
  for (let count = 0; count < 2; count++) {
    const { promise, resolve } = Promise.withResolvers<string>()
    let text = ''
    http.send({ origin, path: '/', headers: {}, body: '{}' }, long, {
      head() {},
      data: (chunk) => {
        text += chunk
      },
      end: () => resolve(text),
      failed: ({ kind, phase }) => resolve(`${kind} ${phase}`),
    })
    answers.push(await promise)
    // Undici returns a connection to its pool after it has reported the end of the answer.
    for (let turn = 0; turn < 3; turn++) await nextTurn()
  }
  await http.close()
  server.close()
  return answers
}

test('a reused connection that breaks before a byte of the answer is replaced once', async () => {
  const { server, requests } = closingSilently((socket) => socket.destroy())
  assert.deepEqual(await askTwice(server), ['hello', 'hello'])
  assert.deepEqual(requests, { first: 2, later: 1 })
})

test('a reused connection that is reset before a byte of the answer is replaced once', async () => {
  const { server } = closingSilently((socket) => socket.resetAndDestroy())
  assert.deepEqual(await askTwice(server), ['hello', 'hello'])
})

test('a reused connection that breaks within the head of the answer is not replaced', async () => {
  const { server, requests } = closingSilently((socket) => socket.end('HTTP/1.1 200'))
  assert.deepEqual(await askTwice(server), ['hello', 'reset first_byte'])
  assert.deepEqual(requests, { first: 1, later: 1 })
})

test('a new connection that breaks before a byte of the answer is not replaced', async () => {
  let requests = 0
  await using server = await upstream((response) => {
    requests++
    response.destroy()
  })
  const request = server.ask()
  await request.over
  assert.equal(requests, 1)
})
