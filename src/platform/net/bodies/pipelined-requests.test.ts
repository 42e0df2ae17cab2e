import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { until } from '#test/harness/until.ts'
import { createServer } from '../node-http.ts'
import { serializeRequests } from './pipelined-requests.ts'

async function serve(listener: RequestListener) {
  const server: Server = createServer(serializeRequests(listener)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted: Socket[] = []
  server.on('connection', (socket) => accepted.push(socket))
  return {
    accepted,
    connect: () => connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {}),
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const post = (body: string, more = '') =>
  `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`

test('serializeRequests starts each pipelined request after the previous response', async () => {
  let running = 0
  let mostRunning = 0
  await using server = await serve(async (request, response) => {
    mostRunning = Math.max(mostRunning, ++running)
    response.on('finish', () => running--)
    response.end(`${await text(request)};`)
  })
  const client = server.connect()
  const bodies = Array.from({ length: 200 }, (_, index) => String(index))
  client.write(bodies.map((body, index) => post(body, index === 199 ? 'connection: close\r\n' : '')).join(''))
  const responses = await text(client)
  assert.deepEqual(responses.match(/\d+(?=;)/g), bodies)
  assert.equal(mostRunning, 1)
})

test('serializeRequests stops reading while more than 31 requests wait', async () => {
  const held: ServerResponse[] = []
  let handled = 0
  await using server = await serve((request, response) => {
    request.resume()
    if (++handled === 1) held.push(response)
    else response.end('y')
  })
  const client = server.connect()
  let responses = 0
  client.setEncoding('latin1').on('data', (piece: string) => {
    responses += piece.match(/HTTP\/1\.1 200/g)?.length ?? 0
  })
  const requests = 40_000
  const whole = Buffer.from(post('').repeat(requests))
  client.write(whole)
  await until(() => held.length === 1)
  const socket = server.accepted[0]!
  await until(() => socket.isPaused())
  assert.ok(socket.bytesRead < whole.length / 2, `${socket.bytesRead} bytes were read`)
  held[0]!.end('y')
  await until(() => socket.bytesRead === whole.length && responses >= requests - 1)
})

test('serializeRequests starts no waiting request after its client disconnected', async () => {
  let handled = 0
  await using server = await serve(() => void handled++)
  const client = server.connect()
  client.write(post('').repeat(20))
  await until(() => handled === 1)
  client.destroy()
  await until(() => server.accepted[0]!.destroyed)
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  assert.equal(handled, 1)
})

test('serializeRequests survives a client that leaves when its body reader stops', async () => {
  const stopped = Promise.withResolvers<void>()
  await using server = await serve((request, response) => {
    const listener = () => {}
    request.on('error', listener)
    // Node has looked for a listener after one tick, and emits the error after two.
    response.once('close', () =>
      process.nextTick(() => {
        request.off('error', listener)
        stopped.resolve()
      }),
    )
  })
  const client = server.connect()
  client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf')
  await until(() => server.accepted[0]?.bytesRead)
  client.destroy()
  await stopped.promise
  await new Promise((resolve) => setImmediate(resolve))
})
