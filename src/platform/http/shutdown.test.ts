import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
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
