import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { until } from '#test/harness/until.ts'
import { createShutdown } from './shutdown.ts'

test('an app that fails to close leaves no timer that keeps its process alive', async (t) => {
  const app = Fastify()
  app.addHook('onClose', async () => {
    throw new Error('The last words could not be written.')
  })
  const started = t.mock.method(globalThis, 'setInterval')
  t.after(() => started.mock.calls.forEach(({ result }) => void clearInterval(result)))
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()
  await assert.rejects(createShutdown().close(app, 2_000), /last words/)
  assert.equal(timers(), before)
})

test('a request that arrives after the grace time does not delay the end', async () => {
  const app = Fastify()
  app.get('/endless', () => new Promise(() => {}))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const late = Promise.withResolvers<void>()
  // Takes longer than the grace time, as on a loaded machine.
  const acceptor = { close: () => late.promise }
  const closed = createShutdown().close(app, 1, acceptor)
  await sleep(100)
  let isRequested = false
  app.server.once('request', () => (isRequested = true))
  await until(() => {
    // The server ends connections again and again, perhaps before it has read the request.
    if (!isRequested)
      connect(port, '127.0.0.1')
        .on('error', () => {})
        .write('GET /endless HTTP/1.1\r\nhost: x\r\n\r\n')
    return isRequested
  })
  late.resolve()
  await closed
})
