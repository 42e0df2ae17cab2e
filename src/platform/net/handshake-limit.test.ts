import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls, createServer } from 'node:tls'
import { createTestCa } from '#test/harness/service/certificates.ts'
import { until } from '#test/harness/until.ts'
import { limitHandshakes } from './handshake-limit.ts'

test('silent clients hold few connections, and do not block handshakes', async () => {
  const ca = await createTestCa()
  const { certificate: cert, key } = await ca.issue({ name: 'localhost', as: 'server' })
  const server = createServer({ cert, key, handshakeTimeout: 3_600_000 })
  limitHandshakes(server, 5)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const sockets: Socket[] = []
  try {
    const greeted = await new Promise<Socket>((resolve) => {
      const socket = connectTls({ port, host: '127.0.0.1', ca: ca.certificate, servername: 'localhost' }, () =>
        resolve(socket),
      )
    })
    sockets.push(greeted)
    const silent = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    sockets.push(...silent)
    for (const socket of silent) socket.resume()
    await until(() => silent.filter(({ closed }) => closed).length === 15)
    const late = connectTls({ port, host: '127.0.0.1', ca: ca.certificate, servername: 'localhost' })
    sockets.push(late)
    await new Promise<void>((resolve, reject) => late.once('secureConnect', resolve).once('error', reject))
    assert.ok(!greeted.destroyed)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})
