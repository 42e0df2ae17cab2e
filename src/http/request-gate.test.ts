import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { createServer } from '#lib/node-http.ts'
import { until } from '#test/harness/until.ts'
import { gateRequests } from './request-gate.ts'

test('pipelined requests beyond the bound wait until earlier answers are read', async () => {
  await using server = await startGated()
  const client = server.connect()
  client.pause()
  client.write(requests(1000))
  await until(async () => server.pending.length === 8)
  for (const response of server.pending.splice(0)) response.end('x'.repeat(1_000_000))
  // The client reads nothing, so none of its other requests starts; a request of another connection does.
  server.connect().write(requests(1))
  await until(async () => server.pending.length === 1)
  assert.equal(server.started, 9)
})

test('pipelined requests: every one is answered, in order, once the client reads', async () => {
  await using server = await startGated((response, count) => response.end(`answer ${count};`))
  const client = server.connect()
  let text = ''
  client.on('data', (chunk) => {
    text += chunk
  })
  client.write(requests(500))
  await until(async () => text.includes('answer 500;'))
  const answers = [...text.matchAll(/answer (\d+);/g)].map(([, count]) => Number(count))
  assert.deepEqual(
    answers,
    Array.from({ length: 500 }, (_, index) => index + 1),
  )
})

test('waiting requests are dropped when their client leaves', async () => {
  await using server = await startGated()
  const client = server.connect()
  client.write(requests(100))
  await until(async () => server.pending.length === 8)
  client.destroy()
  await until(async () => server.pending.every((response) => response.destroyed))
  assert.equal(server.started, 8)
})

test('a request body after pipelined requests is read whole', async () => {
  const bodies: string[] = []
  await using server = await startGated((response) => {
    let body = ''
    response.req.on('data', (chunk) => {
      body += chunk
    })
    response.req.on('end', () => {
      bodies.push(body)
      response.end('ok')
    })
  })
  const client = server.connect()
  client.resume()
  const post = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 200000\r\n\r\n${'b'.repeat(200_000)}`
  client.write(requests(20) + post + post + requests(20))
  await until(async () => bodies.length === 42)
  assert.equal(bodies.filter((body) => body.length === 200_000).length, 2)
})

const requests = (count: number) => 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(count)

async function startGated(answer: (response: ServerResponse, count: number) => void = () => {}) {
  const pending: ServerResponse[] = []
  const clients: Socket[] = []
  const state = { started: 0 }
  const server = createServer((_request, response) => {
    state.started++
    pending.push(response)
    answer(response, state.started)
  })
  gateRequests(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    pending,
    get started() {
      return state.started
    },
    connect() {
      const client = connect(port, '127.0.0.1').on('error', () => {})
      clients.push(client)
      return client
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}
