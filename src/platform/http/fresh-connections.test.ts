import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import fastify from 'fastify'
import { keepNewConnections } from './fresh-connections.ts'
import { createShutdown } from './shutdown.ts'

test('a server that closes answers the first request of an accepted connection', async () => {
  const app = fastify()
  app.get('/', async () => 'answered')
  keepNewConnections(app.server)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const accepted = once(app.server, 'connection')
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await accepted
  const closed = createShutdown().close(app, 600_000)
  await new Promise((resolve) => setTimeout(resolve, 200))
  client.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n')
  const response = await text(client)
  assert.match(response, /^HTTP\/1.1 200 OK\r\n.*Connection: close\r\n.*answered$/s)
  await closed
})

test('a connection without any request does not keep a closing server open', async () => {
  const app = fastify()
  keepNewConnections(app.server)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const accepted = once(app.server, 'connection')
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await accepted
  await createShutdown().close(app, 600_000)
  client.destroy()
})
