import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startTestService } from '../harness/service/service.ts'

test('a client that asks and reads nothing is disconnected', { timeout: 600_000 }, async () => {
  await using service = await startTestService({ unreadResponseMs: 1000 })
  const { hostname, port, pathname } = new URL(service.url)
  const client = connect(Number(port), hostname).on('error', () => {})
  client.pause()
  const request = `GET ${pathname}/openapi.json HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`
  // A paused client notices the end of its connection only when it writes.
  const asking = setInterval(() => client.write(request.repeat(4)), 100)
  await new Promise((resolve) => client.once('close', resolve))
  clearInterval(asking)
  assert.equal((await service.ask('GET', '/health')).status, 200)
})
