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
  const leave = new AbortController()
  const result = { text: '', isSlow: false, writesWhileSlow: 0, drain: () => {} }
  const response: ResponseStream = {
    opened: true,
    header: () => {},
    write(chunk) {
      if (result.isSlow) result.writesWhileSlow++
      result.text += chunk
      return !result.isSlow
    },
    onDrain: (listener) => {
      result.drain = listener
    },
    end: () => {},
    signal: leave.signal,
  }
  const ids = () => [...result.text.matchAll(/^data: {"app_id.*?"id":"(gen-\d+)"/gm)].map(([, id]) => id)
  return { response, result, ids, leave: () => leave.abort() }
}

function listening({ liveEvents }: { liveEvents: LiveEvents }, lastEventId?: string, as: Caller = caller) {
  const created = client()
  const listener = liveEvents.join(as)
  const types = new Set(eventTypes)
  void streamEvents({ liveEvents, keepaliveMs: 60_000 }, listener, created.response, { types, lastEventId }).finally(
    () => liveEvents.leave(listener),
  )
  return created
}

onEachDatabase('live events', (kind) => {
  test('a slow reader is sent nothing until it has caught up, and misses nothing then', async () => {
    await using fixture = await world(kind)
    const [slow, quick] = [listening(fixture), listening(fixture)]
    await until(() => slow.result.text !== '' && quick.result.text !== '')
    slow.result.isSlow = true
    for (let n = 0; n < 20; n++) await fixture.write(100)
    await until(() => quick.ids().length === 2000)
    assert.equal(slow.result.writesWhileSlow, 1)
    slow.result.isSlow = false
    slow.result.drain()
    await until(() => slow.ids().length === 2000)
    assert.deepEqual(slow.ids(), quick.ids())
    for (const one of [slow, quick]) one.leave()
  })

  test('a reader that missed deleted events is asked to start over', async () => {
    await using fixture = await world(kind)
    const slow = listening(fixture)
    await until(() => slow.result.text !== '')
    slow.result.isSlow = true
    for (let n = 0; n < 12; n++) await fixture.write(200)
    await until(() => slow.result.writesWhileSlow === 1)
    await sleep(1500)
    await pruneEvents(fixture, Date.now() + 1000)
    slow.result.isSlow = false
    slow.result.drain()
    await until(() => slow.result.text.includes('event: reset'))
    slow.leave()
  })

  test('the newest of expired events is stored, so that a reader can resume after it', async () => {
    await using fixture = await world(kind)
    const first = listening(fixture)
    await until(() => first.result.text !== '')
    await fixture.write(1)
    await until(() => first.ids().length === 1)
    first.leave()
    const lastId = /^id: (.*)$/m.exec(first.result.text.slice(first.result.text.indexOf('event:')))![1]!
    await pruneEvents(fixture, Date.now() + 1000)
    const resumed = listening(fixture, lastId)
    await fixture.write(1)
    await until(() => resumed.ids().length === 1)
    assert.doesNotMatch(resumed.result.text, /event: reset/)
    resumed.leave()
  })

  test('events of parallel transactions are sent in the order of their commits', async () => {
    await using fixture = await world(kind)
    const reader = listening(fixture)
    await until(() => reader.result.text !== '')
    await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        await sleep(at * 15)
        await fixture.write(3)
      }),
    )
    await until(() => reader.ids().length === 180)
    assert.equal(new Set(reader.ids()).size, 180)
    reader.leave()
  })

  test('a returning subscriber receives the events that only others received', async () => {
    await using fixture = await world(kind)
    const others = listening(fixture, undefined, { ...caller, organizationId: 'other', workspaceId: 'other' })
    const first = listening(fixture)
    await until(() => others.result.text !== '' && first.result.text !== '')
    await fixture.write(1)
    await until(() => first.ids().length === 1)
    first.leave()
    await until(() => fixture.liveEvents.listeners === 1)
    await sleep(600)
    await fixture.write(2)
    await sleep(600)
    const lastId = first.result.text
      .match(/^id: (.*)$/gm)!
      .at(-1)!
      .slice(4)
    const resumed = listening(fixture, lastId)
    await until(() => resumed.ids().length === 2)
    for (const one of [others, resumed]) one.leave()
  })

  test('events of unknown kinds from a newer version are skipped', async () => {
    await using fixture = await world(kind)
    const reader = listening(fixture)
    await until(() => reader.result.text !== '')
    const event = { at: Date.now(), organizationId: null, kind: 'weather' as never, data: '{}' }
    await appendEvents(fixture.db.query, [event])
    await fixture.write(1)
    await until(() => reader.ids().length === 1)
    assert.deepEqual(fixture.errors, [])
    reader.leave()
  })

  test('so many streams of one key, of one member and of all are refused', async () => {
    await using fixture = await world(kind)
    const join = (keyHash: string, userId: string) => fixture.liveEvents.join({ ...caller, keyHash, userId })
    const ofOneKey = Array.from({ length: 100 }, () => join('k', 'one'))
    assert.throws(() => join('k', 'one'), /This key has 100 open event streams/)
    const ofOneMember = Array.from({ length: 900 }, (_, at) => join(`k${at}`, 'one'))
    assert.throws(() => join('other', 'one'), /This member has 1000 open event streams/)
    const others = Array.from({ length: 1000 }, (_, at) => join(`o${at}`, `m${at}`))
    assert.throws(() => join('other', 'other'), /The server has 2000 open event streams/)
    for (const listener of [...ofOneKey, ...ofOneMember, ...others]) fixture.liveEvents.leave(listener)
    fixture.liveEvents.leave(join('k', 'one'))
  })
})
