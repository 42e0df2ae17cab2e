import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { createAcceptor } from '#platform/http/acceptor.ts'
import { createServer as createHttpServer } from '#platform/net/node-http.ts'
import { bindSockets } from './sockets.ts'

const host = '127.0.0.1'

test('a port is bound once for each worker, and no other program gets it', async () => {
  const sockets = await bindSockets({ host, port: 0 }, 3)
  assert.equal(new Set(sockets.socketsByWorker.flat()).size, 3)
  const listener = createServer()
  await once(listener.listen({ fd: sockets.socketsByWorker[1]![0]! }), 'listening')
  const other = createServer()
  const refused = await once(other.listen(sockets.port, host), 'error').catch((error) => [error])
  assert.equal(refused[0].code, 'EADDRINUSE')
  listener.close()
})

test('localhost is every address that it is, on one port', async () => {
  const { port, socketsByWorker, close } = await bindSockets({ host: 'localhost', port: 0 }, 2)
  assert.ok(port > 0 && socketsByWorker.every((sockets) => sockets.length === socketsByWorker[0]!.length))
  close()
})

test('a used port and a foreign address are reported in one sentence', async () => {
  const other = createServer()
  await once(other.listen(0, host), 'listening')
  const { port } = other.address() as { port: number }
  await assert.rejects(bindSockets({ host, port }, 2), /^UserFacingError: Port \d+ on 127.0.0.1 is taken .*set PORT/)
  other.close()
  await assert.rejects(bindSockets({ host: '203.0.113.1', port: 0 }, 2), /This machine does not have the address/)
})

test('an acceptor takes connections of given sockets, and continues existing ones', async () => {
  const { port, socketsByWorker } = await bindSockets({ host, port: 0 }, 1)
  const server = createHttpServer((_request, response) => response.end('hello'))
  const acceptor = createAcceptor(server)
  await acceptor.accept(socketsByWorker[0]!)
  const client = connect(port, host)
  const ask = async () => {
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    return String((await once(client, 'data'))[0])
  }
  assert.match(await ask(), /^HTTP\/1\.1 200 OK/)
  const closing = acceptor.close()
  assert.match(await ask(), /^HTTP\/1\.1 200 OK/)
  client.destroy()
  await closing
  server.close()
})
