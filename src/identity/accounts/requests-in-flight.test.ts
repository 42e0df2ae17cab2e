import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalSignals } from '#platform/db/signals.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import type { Caller } from './caller.ts'
import { RequestsInFlight } from './requests-in-flight.ts'

const caller = { keyHash: 'k', organizationId: 'o', workspaceId: 'w' } as Caller
const response: ResponseStream = {
  opened: false,
  header: () => {},
  write: () => true,
  onDrain: () => {},
  end: () => {},
  signal: new AbortController().signal,
}

function requests() {
  const signals = createLocalSignals()
  const inFlight = new RequestsInFlight({
    signals,
    keys: { current: async () => caller },
    sessions: { current: async () => caller },
  })
  const judged: number[] = []
  const tracked = [0, 1, 2, 3].map((at) => {
    const entry = inFlight.track(caller, response)
    entry.recheckWith(async () => void judged.push(at))
    return entry
  })
  const change = async () => {
    judged.length = 0
    signals.deliver({ topic: 'key.changed', payload: 'k' })
    await new Promise(setImmediate)
    return judged.sort()
  }
  return { inFlight, tracked, change }
}

test('each request in flight is checked when its key changes', async () => {
  const { inFlight, tracked, change } = requests()
  assert.deepEqual(await change(), [0, 1, 2, 3])
  tracked[1]!.release()
  assert.deepEqual(await change(), [0, 2, 3])
  tracked[3]!.release()
  assert.deepEqual(await change(), [0, 2])
  tracked[0]!.release()
  tracked[2]!.release()
  assert.deepEqual(await change(), [])
  inFlight.close()
})

test('a request that ends twice ends once', async () => {
  const { inFlight, tracked, change } = requests()
  for (const at of [2, 2, 3, 2]) tracked[at]!.release()
  assert.equal(inFlight.count(), 2)
  assert.deepEqual(await change(), [0, 1])
  inFlight.close()
})

test('a change while a request is admitted is checked once it can be rechecked', async () => {
  const { inFlight, change } = requests()
  const entry = inFlight.track(caller, response)
  await change()
  const callers: Caller[] = []
  entry.recheckWith(async (current) => void callers.push(current))
  await new Promise(setImmediate)
  assert.deepEqual(callers, [caller])
  inFlight.close()
})

test('keys are rechecked at one interval during requests, and not without any', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { inFlight, tracked } = requests()
  for (const { release } of tracked) release()
  const timers = t.mock.method(globalThis, 'setInterval')
  const come = () => inFlight.track(caller, response).release()
  for (let at = 0; at < 5; at++) come()
  assert.equal(timers.mock.callCount(), 0)
  t.mock.timers.tick(500)
  for (let at = 0; at < 5; at++) come()
  assert.equal(timers.mock.callCount(), 1)
  inFlight.close()
})
