import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { closeUnreadAnswers } from './unread-answers.ts'

async function serve(answer: (response: ServerResponse) => void, ms: number) {
  const server = createServer((_request, response) => answer(response))
  closeUnreadAnswers(server, ms)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
  return { client, response, [Symbol.dispose]: () => void server.close().closeAllConnections() }
}

test('a connection whose client reads nothing of its answer is closed', async () => {
  using served = await serve((response) => response.write(Buffer.alloc(32 * 1024 * 1024)), 200)
  served.client.pause()
  await once(served.response, 'close')
})

test('a connection that waits for its answer, or for more of it, stays open', async () => {
  using served = await serve((response) => response.write('first'), 20)
  const { client, response } = served
  client.resume()
  await new Promise((resolve) => setTimeout(resolve, 300))
  response.end('last')
  const [last] = await once(client, 'data')
  assert.match(String(last), /last/)
})

test('a client that reads slowly is not cut off', async () => {
  const size = 24 * 1024 * 1024
  using served = await serve((response) => response.end(Buffer.alloc(size)), 1_500)
  const { client } = served
  client.pause()
  let received = 0
  const reading = setInterval(() => {
    received += client.read()?.length ?? 0
  }, 20)
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  assert.equal(client.destroyed, false)
  clearInterval(reading)
  client.on('data', (bytes) => {
    received += bytes.length
  })
  client.resume()
  while (received < size) await once(client, 'data')
})
