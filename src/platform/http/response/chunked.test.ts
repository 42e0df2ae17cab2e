import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { suite, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { ChunkedBody } from './chunked.ts'

async function serving(respond: (response: ServerResponse, path: string) => Promise<void>) {
  const server = createServer((request, response) => void respond(response, request.url ?? ''))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { port, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop }
}

/** Sends these bytes and returns everything that the server sends until it closes the connection. */
async function exchange(port: number, bytes: string, readAfterMs = 0): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  let text = ''
  await sleep(readAfterMs)
  for await (const data of socket) text += data
  return text
}

suite('the body of a chunked response', () => {
  const pieces = [
    'data: one\n\n',
    'data: zwölf 🚂\n\n',
    'x'.repeat(20_000),
    Buffer.from('bytes €'),
    Buffer.alloc(0),
    Buffer.alloc(16_384, 'y'),
    Buffer.alloc(16_385, 'z'),
    '',
    'data: last\n\n',
  ]
  const whole = pieces.map(String).join('')

  test('arrives whole and in order, on a connection that is used again', async () => {
    await using server = await serving(async (response, path) => {
      const body = new ChunkedBody(response)
      for (let time = 0; time < 3; time++) {
        for (const piece of pieces) {
          body.write(piece)
          if (path === '/turns') await nextTurn()
        }
      }
      body.end(path)
    })
    for (const path of ['/turns', '/once', '/turns', '/turns', '/once']) {
      const response = await fetch(server.url + path)
      assert.equal(await response.text(), whole.repeat(3) + path)
    }
  })

  test('without a write before its end arrives, and its connection can be used again', async () => {
    await using server = await serving(async (response, path) => new ChunkedBody(response).end(Buffer.from(path)))
    for (const path of ['/one', '/two']) assert.equal(await (await fetch(server.url + path)).text(), path)
  })

  test('does not treat a disconnected reader as a slow one', async () => {
    const written: boolean[] = []
    await using server = await serving(async (response) => {
      const body = new ChunkedBody(response)
      body.write('begins')
      await nextTurn()
      response.socket!.destroy()
      for (const piece of ['continues', Buffer.from('continues')]) written.push(body.write(piece))
    })
    await assert.rejects(fetch(server.url).then((response) => response.text()))
    assert.deepEqual(written, [true, true])
  })

  test('is not framed for a client of HTTP/1.0', async () => {
    await using server = await serving(async (response) => {
      const body = new ChunkedBody(response)
      for (const piece of pieces) {
        body.write(piece)
        await nextTurn()
      }
      response.end()
    })
    const text = await exchange(server.port, 'GET / HTTP/1.0\r\nhost: x\r\n\r\n')
    assert.equal(text.split('\r\n\r\n')[1], whole)
  })

  test('waits for the previous response of a pipeline, and writes nothing after its end', async () => {
    await using server = await serving(async (response, path) => {
      const body = new ChunkedBody(response)
      if (path === '/slow') await sleep(50)
      for (const piece of [path, ' begins', ' continues']) {
        body.write(piece)
        await nextTurn()
      }
      response.on('error', () => {})
      response.end()
      body.write('too late')
    })
    const ask = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`
    const text = await exchange(server.port, ask('/slow') + ask('/fast', 'connection: close\r\n'))
    assert.match(text, /\/slow.* begins.* continues.*\/fast.* begins.* continues/s)
    assert.doesNotMatch(text, /too late/)
  })

  test('reports a slow reader also for a pipelined request', async () => {
    await using server = await serving(async (response, path) => {
      const body = new ChunkedBody(response)
      const { promise: drained, resolve } = Promise.withResolvers<void>()
      body.onDrain(resolve)
      body.write(path)
      if (path === '/first') await sleep(50)
      else {
        // Starts to write before the first response has ended, and continues after it.
        await sleep(100)
        while (body.write('x'.repeat(10_000)));
        await drained
      }
      response.end()
    })
    const ask = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`
    const text = await exchange(server.port, ask('/first') + ask('/second', 'connection: close\r\n'), 300)
    const inOrder = ['/first', '/second', 'x'].map((part) => text.indexOf(part))
    assert.ok(inOrder[0]! > 0 && inOrder[0]! < inOrder[1]! && inOrder[1]! < inOrder[2]!, `${inOrder}`)
    assert.ok(text.endsWith('x\r\n0\r\n\r\n'), text.slice(-100))
  })

  test('reports when a slow reader has caught up, and leaves no listeners', async () => {
    const listeners: number[] = []
    await using server = await serving(async (response) => {
      const socket = response.socket!
      listeners.push(socket.listenerCount('drain'))
      const body = new ChunkedBody(response)
      body.write('begins')
      await nextTurn()
      const { promise: drained, resolve } = Promise.withResolvers<void>()
      body.onDrain(resolve)
      while (body.write('x'.repeat(10_000)));
      await drained
      response.end()
    })
    for (let time = 0; time < 3; time++) {
      const response = await fetch(server.url)
      await sleep(50)
      assert.equal((await response.text()).replaceAll('x', ''), 'begins')
    }
    assert.deepEqual(listeners, Array(3).fill(listeners[0]))
  })
})
