import assert from 'node:assert/strict'
import { type AddressInfo, BoundSocket, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import Fastify from 'fastify'
import { createAcceptor } from './acceptor.ts'
import { keepNewConnections } from './fresh-connections.ts'
import { createShutdown } from './shutdown.ts'

const request = 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'

/** Connects at once: the kernel completes the connections before the server's event loop accepts them. */
function waitingClients(port: number, count = 20): Promise<string[]> {
  const clients = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
  for (const client of clients) client.end(request)
  return Promise.all(clients.map((client) => text(client).catch((error) => String(error.code))))
}

/** Resolves when the kernel has completed the connections that were started. */
const connected = () => new Promise<void>((resolve) => process.nextTick(resolve))

function newApp() {
  const app = Fastify({ forceCloseConnections: 'idle', return503OnClosing: false })
  keepNewConnections(app.server)
  app.get('/', () => 'whole')
  return app
}

test('a server that closes answers the connections that wait to be accepted', async () => {
  const app = newApp()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const responses = waitingClients((app.server.address() as AddressInfo).port)
  await connected()
  await createShutdown().close(app, 10_000)
  for (const response of await responses) assert.match(response, /whole$/)
})

test('a closing server answers waiting connections, also with a slow event loop', async () => {
  const app = newApp()
  await app.listen({ port: 0, host: '127.0.0.1' })
  app.server.on('connection', () => {
    for (const end = performance.now() + 80; performance.now() < end; );
  })
  const responses = waitingClients((app.server.address() as AddressInfo).port)
  await connected()
  await createShutdown().close(app, 60_000)
  for (const response of await responses) assert.match(response, /whole$/)
})

test('a closing server accepts few of the connections that arrive while others wait', async () => {
  const app = newApp()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  let accepted = 0
  app.server.on('connection', () => {
    accepted++
    for (const end = performance.now() + 200; performance.now() < end; );
  })
  const earlier = waitingClients(port)
  await connected()
  const closed = createShutdown().close(app, 60_000)
  const later = waitingClients(port, 40)
  await closed
  for (const response of await earlier) assert.match(response, /whole$/)
  await later
  assert.ok(accepted <= 30, `${accepted} connections were accepted`)
})

test('an acceptor that closes answers the connections that wait to be accepted', async () => {
  const app = newApp()
  await app.ready()
  const socket = new BoundSocket({ host: '127.0.0.1', port: 0 })
  const acceptor = createAcceptor(app.server)
  await acceptor.accept([socket.fd()])
  const responses = waitingClients(socket.address().port)
  await connected()
  await acceptor.close()
  socket.close()
  for (const response of await responses) assert.match(response, /whole$/)
  await app.close()
})
