import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDb } from '#test/harness/database/databases.ts'
import type { Db } from '../db.ts'
import { createReadCache } from './read-cache.ts'
import { allowStaleWhileUnavailable } from './stale-reads.ts'

/** A database whose signals are lost, and that can be unavailable. */
async function startStaleReads({ silentForMs = 1000, isUnreachable = true } = {}) {
  const store = await newDb('sqlite')
  const state = { silentForMs, isUnreachable, reads: 0 }
  const signals = { ...store.db.signals, live: () => false, silentForMs: () => state.silentForMs }
  const db: Db = {
    ...store.db,
    signals,
    get query() {
      state.reads++
      if (state.isUnreachable) throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })
      return store.db.query
    },
  }
  return { db, state, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

function remembering({ db }: { db: Db }, staleMs: number) {
  const clock = { now: 0 }
  const stored = { value: 'old' }
  const remembered = createReadCache({
    signals: db.signals,
    steady: () => clock.now,
    topic: 'preset.changed',
    allowStale: allowStaleWhileUnavailable({ db }, staleMs),
    async read() {
      await db.query.selectFrom('users').select('id').execute()
      return stored.value
    },
  })
  return { remembered, stored, clock }
}

test('during an outage the cached value is returned, for the configured time', async () => {
  await using place = await startStaleReads({ isUnreachable: false })
  const { remembered, clock } = remembering(place, 5000)
  await remembered.get('a')
  clock.now = 10_000
  place.state.isUnreachable = true
  assert.equal(await remembered.get('a'), 'old')
  place.state.silentForMs = 5000
  await assert.rejects(async () => remembered.get('a'), { kind: 'unavailable' })
})

test('an unknown value is not returned', async () => {
  await using place = await startStaleReads()
  await assert.rejects(async () => remembering(place, 5000).remembered.get('a'), { kind: 'unavailable' })
})

test('a database that answers is asked, although nothing is heard of other servers', async () => {
  await using place = await startStaleReads({ isUnreachable: false })
  const { remembered, stored, clock } = remembering(place, 5000)
  await remembered.get('a')
  clock.now = 10_000
  stored.value = 'new'
  assert.equal(await remembered.get('a'), 'new')
})

test('without the setting nothing is trusted and nothing is asked for it', async () => {
  await using place = await startStaleReads()
  assert.equal(await allowStaleWhileUnavailable(place, 0)(), false)
  assert.equal(place.state.reads, 0)
})

test('concurrent reads are one query', async () => {
  await using place = await startStaleReads()
  const allowStale = allowStaleWhileUnavailable(place, 5000)
  assert.ok((await Promise.all(Array.from({ length: 100 }, allowStale))).every((trusted) => trusted))
  assert.ok(place.state.reads <= 2, String(place.state.reads))
})

test('a stale read is valid for the configured time, and never if it is zero', async () => {
  await using place = await startStaleReads({ silentForMs: 0 })
  assert.equal(await allowStaleWhileUnavailable(place, 1)(), true)
  assert.equal(await allowStaleWhileUnavailable(place, 0)(), false)
})
