import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'node:test'
import { setImmediate as laterTurn } from 'node:timers/promises'
import { selectPause } from './long-work.ts'

test('work on a short body has no pauses', () => {
  assert.equal(selectPause(256 * 1024), undefined)
})

test('of several that pause, each turn of the event loop continues one', async () => {
  const pause = selectPause(256 * 1024 + 1)!
  const continued: string[] = []
  for (const name of ['a', 'b', 'c']) void pause().then(() => continued.push(name))
  const counts: number[] = []
  while (continued.length < 3) {
    await laterTurn()
    counts.push(continued.length)
  }
  assert.deepEqual(continued, ['a', 'b', 'c'])
  for (const [at, count] of counts.entries()) assert.ok(count - (counts[at - 1] ?? 0) <= 1, String(counts))
})

test('after a stage that a socket started, another socket is read first', async () => {
  const events: string[] = []
  const pause = selectPause(256 * 1024 + 1)!
  await using server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [one, other] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  const done = Promise.withResolvers<void>()
  server.on('connection', (socket) =>
    socket.once('data', async (name) => {
      events.push(String(name))
      if (events.length > 1) return
      other.write('other')
      await pause()
      events.push('next stage')
      done.resolve()
    }),
  )
  await Promise.all([once(one, 'connect'), once(other, 'connect')])
  await laterTurn()
  one.write('one')
  await done.promise
  for (const socket of [one, other]) socket.destroy()
  assert.deepEqual(events, ['one', 'other', 'next stage'])
})
