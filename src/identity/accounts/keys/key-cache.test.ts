import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalSignals } from '#platform/db/signals.ts'
import type { Caller } from '../caller.ts'
import { createKeyCache, type StoredKey } from './key-cache.ts'
import { hashOf } from './secret.ts'

const secret = `sb-v1-${'1'.repeat(64)}`
const hash = hashOf(secret)
const changed = { topic: 'key.changed', payload: hash } as const
const caller = { keyHash: hash } as Caller

/** A key cache with one stored key. The test controls the clock, the signals and the reads. */
function newRing() {
  const signals = createLocalSignals()
  const state = {
    stored: { caller, disabled: false, expiresAt: null } as StoredKey | undefined,
    now: 1000,
    live: true,
    reads: 0,
    /** A read waits for this promise after it has read the row. */
    slowness: Promise.resolve(),
  }
  const keys = createKeyCache({
    signals: { ...signals, live: () => state.live },
    now: () => state.now,
    steady: () => state.now,
    async readKeys() {
      state.reads++
      const found: [string, StoredKey][] = state.stored ? [[hash, state.stored]] : []
      await state.slowness
      return new Map(found)
    },
  })
  return { keys, state, signals }
}

test('a key is read once and then known', async () => {
  const { keys, state } = newRing()
  for (let n = 0; n < 100; n++) assert.equal(await keys.find(secret), caller)
  assert.equal(state.reads, 1)
})

test('texts that cannot be keys are never looked up', async () => {
  const { keys, state } = newRing()
  for (const text of ['', 'nonsense', secret.toUpperCase(), `${secret}0`])
    assert.equal(await keys.find(text), undefined)
  assert.equal(state.reads, 0)
})

test('a revoked key is refused from the moment the signal comes', async () => {
  const { keys, state, signals } = newRing()
  await keys.find(secret)
  state.stored = undefined
  signals.deliver(changed)
  assert.equal(await keys.find(secret), undefined)
})

test('a row read before a revocation is not remembered after it', async () => {
  const { keys, state, signals } = newRing()
  const slow = Promise.withResolvers<void>()
  state.slowness = slow.promise
  const early = keys.find(secret)
  state.stored = undefined
  signals.deliver(changed)
  const late = keys.find(secret)
  slow.resolve()
  assert.deepEqual([await early, await late, await keys.find(secret)], [caller, undefined, undefined])
})

test('a key made after it was looked for in vain works at once', async () => {
  const { keys, state } = newRing()
  const stored = state.stored
  state.stored = undefined
  assert.equal(await keys.find(secret), undefined)
  state.stored = stored
  assert.equal(await keys.find(secret), caller)
})

test('while signals may be missed, nothing older than 0.7 s is trusted', async () => {
  const { keys, state } = newRing()
  await keys.find(secret)
  Object.assign(state, { live: false, stored: undefined, now: 1699 })
  assert.equal(await keys.find(secret), caller)
  state.now = 1700
  assert.equal(await keys.find(secret), undefined)
})

test('a missed signal makes the ring forget everything', async () => {
  const { keys, state, signals } = newRing()
  await keys.find(secret)
  state.stored = undefined
  signals.reportMissed()
  assert.equal(await keys.find(secret), undefined)
})

test('a key expires at its instant, without any signal', async () => {
  const { keys, state } = newRing()
  state.stored = { caller, disabled: false, expiresAt: 2000 }
  state.now = 1999
  assert.equal(await keys.find(secret), caller)
  state.now = 2000
  assert.equal(await keys.find(secret), undefined)
})

test('a disabled key is refused', async () => {
  const { keys, state } = newRing()
  state.stored = { caller, disabled: true, expiresAt: null }
  assert.equal(await keys.find(secret), undefined)
})

test('concurrent requests with one key share one read', async () => {
  const { keys, state } = newRing()
  await Promise.all(Array.from({ length: 1000 }, () => keys.find(secret)))
  assert.equal(state.reads, 1)
})

test('a key that was read is known from memory alone, and one that was not is not', async () => {
  const { keys } = newRing()
  assert.equal(keys.findCached(secret), undefined)
  await keys.find(secret)
  assert.equal(keys.findCached(secret), caller)
})

test('more keys than a large organization has are known at once', async () => {
  let reads = 0
  const signals = { ...createLocalSignals(), live: () => true }
  const readKeys = async (hashes: string[]) => {
    reads += hashes.length
    return new Map(
      hashes.map((each) => [each, { caller: { keyHash: each } as Caller, disabled: false, expiresAt: null }]),
    )
  }
  const keys = createKeyCache({ signals, now: () => 0, readKeys })
  const secrets = Array.from({ length: 20_000 }, (_, n) => `sb-v1-${n.toString(16).padStart(64, '0')}`)
  for (let times = 0; times < 2; times++) await Promise.all(secrets.map((each) => keys.find(each)))
  assert.equal(reads, 20_000)
})
