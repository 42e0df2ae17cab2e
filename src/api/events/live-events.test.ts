import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '#identity/accounts/caller.ts'
import { appendEvents, pruneEvents } from '#platform/db/event-log.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { writeGenerations } from '#spend/metering/write.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { caller, generation } from '#test/harness/records/generations.ts'
import { until } from '#test/harness/until.ts'
import { eventTypes } from './live-event.ts'
import { LiveEvents } from './live-events.ts'
import { streamEvents } from './stream.ts'

async function world(kind: 'sqlite' | 'postgres') {
  const store = await newDb(kind)
  const errors: Error[] = []
  const deps = {
    db: store.db,
    now: Date.now,
    isShuttingDown: () => false,
    onError: (error: Error) => void errors.push(error),
  }
  const liveEvents = new LiveEvents(deps)
  return {
    ...deps,
    liveEvents,
    errors,
    write: (count: number) =>
      writeGenerations(
        deps,
        Array.from({ length: count }, () => generation()),
      ),
    async [Symbol.asyncDispose]() {
      liveEvents.close()
      await until(() => liveEvents.listeners === 0)
      await store[Symbol.asyncDispose]()
    },
  }
}

/** A client that reads only when the test requests it. */
function client() {
  const left = new AbortController()
  const told = { text: '', isSlow: false, writesWhileSlow: 0, drain: () => {} }
  const response: ResponseStream = {
    opened: true,
    header: () => {},
    write(chunk) {
      if (told.isSlow) told.writesWhileSlow++
      told.text += chunk
      return !told.isSlow
    },
    onDrain: (listener) => {
      told.drain = listener
    },
    end: () => {},
    signal: left.signal,
  }
  const ids = () => [...told.text.matchAll(/^data: {"app_id.*?"id":"(gen-\d+)"/gm)].map(([, id]) => id)
  return { response, told, ids, leave: () => left.abort() }
}

function listening({ liveEvents }: { liveEvents: LiveEvents }, lastEventId?: string, as: Caller = caller) {
  const made = client()
  const listener = liveEvents.join(as)
  const types = new Set(eventTypes)
  void streamEvents({ liveEvents, keepaliveMs: 60_000 }, listener, made.response, { types, lastEventId }).finally(() =>
    liveEvents.leave(listener),
  )
  return made
}

onEachDatabase('live events', (kind) => {
  test('a slow reader is sent nothing until it has caught up, and misses nothing then', async () => {
    await using made = await world(kind)
    const [slow, quick] = [listening(made), listening(made)]
    await until(() => slow.told.text !== '' && quick.told.text !== '')
    slow.told.isSlow = true
    for (let n = 0; n < 20; n++) await made.write(100)
    await until(() => quick.ids().length === 2000)
    assert.equal(slow.told.writesWhileSlow, 1)
    slow.told.isSlow = false
    slow.told.drain()
    await until(() => slow.ids().length === 2000)
    assert.deepEqual(slow.ids(), quick.ids())
    for (const one of [slow, quick]) one.leave()
  })

  test('a reader that missed deleted events is asked to start over', async () => {
    await using made = await world(kind)
    const slow = listening(made)
    await until(() => slow.told.text !== '')
    slow.told.isSlow = true
    for (let n = 0; n < 12; n++) await made.write(200)
    await until(() => slow.told.writesWhileSlow === 1)
    await sleep(1500)
    await pruneEvents(made, Date.now() + 1000)
    slow.told.isSlow = false
    slow.told.drain()
    await until(() => slow.told.text.includes('event: reset'))
    slow.leave()
  })

  test('the newest of expired events is stored, so that a reader can resume after it', async () => {
    await using made = await world(kind)
    const first = listening(made)
    await until(() => first.told.text !== '')
    await made.write(1)
    await until(() => first.ids().length === 1)
    first.leave()
    const lastId = /^id: (.*)$/m.exec(first.told.text.slice(first.told.text.indexOf('event:')))![1]!
    await pruneEvents(made, Date.now() + 1000)
    const again = listening(made, lastId)
    await made.write(1)
    await until(() => again.ids().length === 1)
    assert.doesNotMatch(again.told.text, /event: reset/)
    again.leave()
  })

  test('events of parallel transactions are sent in the order of their commits', async () => {
    await using made = await world(kind)
    const reader = listening(made)
    await until(() => reader.told.text !== '')
    await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        await sleep(at * 15)
        await made.write(3)
      }),
    )
    await until(() => reader.ids().length === 180)
    assert.equal(new Set(reader.ids()).size, 180)
    reader.leave()
  })

  test('a returning subscriber receives the events that only others received', async () => {
    await using made = await world(kind)
    const others = listening(made, undefined, { ...caller, organizationId: 'other', workspaceId: 'other' })
    const first = listening(made)
    await until(() => others.told.text !== '' && first.told.text !== '')
    await made.write(1)
    await until(() => first.ids().length === 1)
    first.leave()
    await until(() => made.liveEvents.listeners === 1)
    await sleep(600)
    await made.write(2)
    await sleep(600)
    const lastId = first.told.text
      .match(/^id: (.*)$/gm)!
      .at(-1)!
      .slice(4)
    const again = listening(made, lastId)
    await until(() => again.ids().length === 2)
    for (const one of [others, again]) one.leave()
  })

  test('events of unknown kinds from a newer version are skipped', async () => {
    await using made = await world(kind)
    const reader = listening(made)
    await until(() => reader.told.text !== '')
    const event = { at: Date.now(), organizationId: null, kind: 'weather' as never, data: '{}' }
    await appendEvents(made.db.query, [event])
    await made.write(1)
    await until(() => reader.ids().length === 1)
    assert.deepEqual(made.errors, [])
    reader.leave()
  })

  test('so many streams of one key are refused, and of all keys', async () => {
    await using made = await world(kind)
    const one = Array.from({ length: 100 }, () => made.liveEvents.join(caller))
    assert.throws(() => made.liveEvents.join(caller), /Too many event streams/)
    const others = Array.from({ length: 1900 }, (_, at) => made.liveEvents.join({ ...caller, keyHash: `k${at}` }))
    assert.throws(() => made.liveEvents.join({ ...caller, keyHash: 'other' }), /Too many event streams/)
    for (const listener of [...one, ...others]) made.liveEvents.leave(listener)
    made.liveEvents.leave(made.liveEvents.join(caller))
  })
})
