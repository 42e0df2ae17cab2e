import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { closeUnreadResponses, countWaitingBytes } from './unread-responses.ts'

async function serve(respond: (response: ServerResponse) => void, ms: number, elapsed?: () => number) {
  const server = createServer((_request, response) => respond(response))
  closeUnreadResponses(server, ms, elapsed)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
  return { client, response, [Symbol.dispose]: () => void server.close().closeAllConnections() }
}

test('a connection whose client reads nothing of its response is closed', async () => {
  using served = await serve((response) => response.write(Buffer.alloc(32 * 1024 * 1024)), 200)
  served.client.pause()
  await once(served.response, 'close')
})

test('a connection that waits for its response, or for more of it, stays open', async () => {
  using served = await serve((response) => response.write('first'), 20)
  const { client, response } = served
  client.resume()
  await new Promise((resolve) => setTimeout(resolve, 300))
  response.end('last')
  const [last] = await once(client, 'data')
  assert.match(String(last), /last/)
})

test('a client that reads slowly is not cut off, and one that stops reading is', async () => {
  const size = 24 * 1024 * 1024
  let now = 0
  const ms = 200
  using served = await serve(
    (response) => response.end(Buffer.alloc(size)),
    ms,
    () => now,
  )
  const { client, response } = served
  client.pause()
  for (let step = 0; step < 10; step++) {
    await readUntilProgress(client, response)
    await nextCheck(ms)
    now += 0.9 * ms
  }
  assert.equal(response.destroyed, false)
  while (!response.destroyed) {
    await nextCheck(ms)
    now += ms
  }
})

/** Waits until the connections have been checked at least once more. */
const nextCheck = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms / 2))

/** Reads until the system accepts more bytes of the response. */
async function readUntilProgress(client: Socket, { socket }: ServerResponse): Promise<void> {
  const waiting = countWaitingBytes(socket!)
  while (countWaitingBytes(socket!) === waiting) {
    client.read()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
