import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { readPacedBody } from './paced-body.ts'

const pace = { bytesPerSecond: 100, pauseMs: 30_000 }

/** A body that is being read, and functions that send a piece, end it, and advance the clock. */
function sending({ mock }: TestContext, { readerMs = 0 } = {}) {
  let now = 0
  mock.method(performance, 'now', () => now)
  mock.timers.enable({ apis: ['setTimeout'] })
  const advance = (ms: number) => {
    now += ms
    mock.timers.tick(ms)
  }
  const request = new IncomingMessage(new Socket())
  let received = 0
  let outcome: unknown
  const reading = async () => {
    for await (const piece of readPacedBody(request, pace)) {
      received += piece.length
      advance(readerMs)
    }
  }
  reading().then(
    () => (outcome = 'read'),
    (error) => (outcome = error.kind),
  )
  return {
    async send(bytes: number) {
      request.push(Buffer.alloc(bytes))
      await turn()
    },
    async end() {
      request.push(null)
      await turn()
    },
    async pass(ms: number) {
      advance(ms)
      await turn()
    },
    result: () => ({ received, outcome }),
  }
}

test('a body of one byte per second is refused, although data arrives', async (t) => {
  const body = sending(t)
  let seconds = 0
  for (; body.result().outcome === undefined && seconds < 1000; seconds++) {
    await body.pass(1000)
    await body.send(1)
  }
  assert.deepEqual([body.result().outcome, seconds], ['request_timeout', 31])
})

test('a burst does not permit a slow rest', async (t) => {
  const body = sending(t)
  await body.send(1_000_000)
  for (let seconds = 0; seconds < 31; seconds++) {
    await body.pass(1000)
    await body.send(1)
  }
  assert.equal(body.result().outcome, 'request_timeout')
})

test('a body at the lowest rate is read, with pauses, however long it takes', async (t) => {
  const body = sending(t)
  for (let minutes = 0; minutes < 200; minutes++) {
    await body.pass(29_000)
    await body.send(3000)
  }
  await body.end()
  assert.deepEqual(body.result(), { received: 600_000, outcome: 'read' })
})

test("the reader's time for a piece does not count", async (t) => {
  const body = sending(t, { readerMs: 600_000 })
  for (let pieces = 0; pieces < 3; pieces++) await body.send(1)
  await body.end()
  assert.deepEqual(body.result(), { received: 3, outcome: 'read' })
})

test('a silent client is refused, also after a slow reader', async (t) => {
  const body = sending(t, { readerMs: 600_000 })
  await body.send(1)
  await body.pass(29_000)
  assert.equal(body.result().outcome, undefined)
  await body.pass(2000)
  assert.equal(body.result().outcome, 'request_timeout')
})
