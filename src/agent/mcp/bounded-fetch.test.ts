import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { boundedFetch } from './bounded-fetch.ts'

type SeenRequest = { method: string; url: string; key: unknown; body: string }

async function startServer(respond: (request: IncomingMessage, response: ServerResponse) => void) {
  const seen: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    seen.push({ method, url, key: headers['x-api-key'], body: await text(request) })
    respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const dispose = async () => {
    server.closeAllConnections()
    server.close()
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, seen, [Symbol.asyncDispose]: dispose }
}

const call = { method: 'POST', headers: { 'x-api-key': 'secret' }, body: 'arguments' }

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect with ${status} to another server is refused, and that server gets no request`, async () => {
    await using other = await startServer((_, response) => response.end('internal'))
    await using server = await startServer((_, response) => response.writeHead(status, { location: other.url }).end())
    await assert.rejects(boundedFetch(fetch, server.url, call), /redirects to another server/)
    assert.deepEqual(other.seen, [])
  })
}

test('a redirect to a file, or without end, is refused', async () => {
  for (const location of ['file:///etc/passwd', 'http://', '/again']) {
    await using server = await startServer((_, response) => response.writeHead(307, { location }).end())
    await assert.rejects(boundedFetch(fetch, server.url, call), /it redirects/)
    assert.ok(server.seen.length <= 6)
  }
})

test('a redirect within the server is followed with method, headers and body', async () => {
  await using server = await startServer((request, response) => {
    if (request.url === '/mcp') response.writeHead(307, { location: '/mcp/' }).end()
    else response.end('answer')
  })
  assert.equal(await (await boundedFetch(fetch, `${server.url}/mcp`, call)).text(), 'answer')
  assert.deepEqual(server.seen[1], { method: 'POST', url: '/mcp/', key: 'secret', body: 'arguments' })
})

const mebibyte = 1024 * 1024
const eventStream = { 'content-type': 'text/event-stream' }

test('a stream of events is bounded by the event, not by all events', { timeout: 600_000 }, async () => {
  await using server = await startServer(async ({ url }, response) => {
    response.writeHead(200, eventStream)
    const event = `data: ${'x'.repeat(8 * mebibyte)}\n${url === '/long' ? '' : '\n'}`
    for (let count = 0; count < 6 && !response.destroyed; count++)
      await new Promise((resolve) => response.write(event, resolve))
    response.end()
  })
  const read = async (path: string) => (await (await boundedFetch(fetch, server.url + path)).text()).length
  assert.ok((await read('/short')) > 48 * mebibyte)
  await assert.rejects(read('/long'), /The server sent more than 33554432 bytes/)
})
