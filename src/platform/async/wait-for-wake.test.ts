import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { waitForWake } from './wait-for-wake.ts'

const never = new Promise<void>(() => {})

test('waitForWake returns true for an event, and leaves no listener at the signal', async () => {
  const { signal } = new AbortController()
  assert.equal(await waitForWake(Promise.resolve(), signal, 60_000), true)
  assert.deepEqual(getEventListeners(signal, 'abort'), [])
})

test('waitForWake returns true when the signal aborts', async () => {
  const controller = new AbortController()
  const waiting = waitForWake(never, controller.signal, 60_000)
  controller.abort()
  assert.equal(await waiting, true)
  assert.equal(await waitForWake(never, controller.signal, 60_000), true)
})

test('waitForWake returns false after its time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const waiting = waitForWake(never, new AbortController().signal, 1000)
  t.mock.timers.tick(1000)
  assert.equal(await waiting, false)
})
