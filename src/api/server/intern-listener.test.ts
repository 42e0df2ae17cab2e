import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { keepNewConnections } from '#platform/http/fresh-connections.ts'
import { until } from '#test/harness/until.ts'
import { keepInternListener } from './intern-listener.ts'

test('a client that does not read its answer does not keep the address of interns open', async () => {
  const server = createServer((_request, response) => {
    response.write(Buffer.alloc(32 * 1024 * 1024))
  })
  // As in the service. Otherwise a connection whose request was not read yet counts as idle.
  keepNewConnections(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const listener = await keepInternListener(server, { host: '127.0.0.1', port })
  const client = connect(port, '127.0.0.1').on('error', () => {})
  client.pause().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(server, 'request')
  await listener[Symbol.asyncDispose]()
  assert.equal(await new Promise((resolve) => server.getConnections((_error, count) => resolve(count))), 0)
  client.resume()
  await until(() => client.destroyed)
})
