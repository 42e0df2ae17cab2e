import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor, waitUntil } from './wait-for.ts'

const anHour = 3_600_000

/** A state whose changes are announced, and the number of reads and subscribers. */
function announcedState() {
  const listeners = new Set<() => void>()
  const state = { value: undefined as string | undefined, reads: 0, listeners }
  const read = async () => {
    state.reads++
    return state.value
  }
  const subscribe = (onChange: () => void) => {
    listeners.add(onChange)
    return () => listeners.delete(onChange)
  }
  const change = (value: string | undefined) => {
    state.value = value
    for (const listener of listeners) listener()
  }
  return { state, read, subscribe, change }
}

test('waitFor returns the current state without a notification', async () => {
  const { state, read, subscribe } = announcedState()
  state.value = 'ready'
  assert.equal(await waitFor(read, { subscribe, timeoutMs: anHour }), 'ready')
  assert.deepEqual([state.reads, state.listeners.size], [1, 0])
})

test('waitUntil returns true when the condition holds, and false after the timeout', async () => {
  const { state, read, subscribe, change } = announcedState()
  const isReady = async () => (await read()) === 'ready'
  const waiting = waitUntil(isReady, { subscribe, timeoutMs: anHour, recheckMs: anHour })
  await new Promise(setImmediate)
  change('ready')
  assert.deepEqual([await waiting, state.reads], [true, 2])
  state.value = undefined
  assert.equal(await waitUntil(isReady, { timeoutMs: 0 }), false)
})

test('waitFor reads again after each notification, and only then', async () => {
  const { state, read, subscribe, change } = announcedState()
  const waiting = waitFor(read, { subscribe, timeoutMs: anHour, recheckMs: anHour })
  await new Promise(setImmediate)
  change(undefined)
  await new Promise(setImmediate)
  assert.equal(state.reads, 2)
  change('ready')
  assert.equal(await waiting, 'ready')
  assert.deepEqual([state.reads, state.listeners.size], [3, 0])
})

test('waitFor notices a change that is announced during a read', async () => {
  const { state, subscribe, change } = announcedState()
  const read = async () => {
    if (++state.reads > 1) return state.value
    change('ready')
    return undefined
  }
  assert.equal(await waitFor(read, { subscribe, timeoutMs: anHour, recheckMs: anHour }), 'ready')
})

test('waitFor reads at intervals if notifications are lost', async () => {
  const { state, read, subscribe } = announcedState()
  const waiting = waitFor(read, { subscribe, timeoutMs: anHour, recheckMs: 1 })
  state.value = 'ready'
  assert.equal(await waiting, 'ready')
})

test('waitFor returns undefined after the timeout', async () => {
  const { state, read, subscribe } = announcedState()
  assert.equal(await waitFor(read, { subscribe, timeoutMs: 5 }), undefined)
  assert.equal(state.listeners.size, 0)
})

test('waitFor returns undefined when its signal aborts', async () => {
  const { read, subscribe } = announcedState()
  const stopping = new AbortController()
  const waiting = waitFor(read, { subscribe, timeoutMs: anHour, recheckMs: anHour, signal: stopping.signal })
  await new Promise(setImmediate)
  stopping.abort()
  assert.equal(await waiting, undefined)
})

test('waitFor without a subscription reads again after each interval', async () => {
  let reads = 0
  assert.equal(await waitFor(async () => (++reads === 3 ? reads : undefined), { recheckMs: 1 }), 3)
})
