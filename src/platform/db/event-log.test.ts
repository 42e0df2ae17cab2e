import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { appendEvents, createEventPruner, readEventsFrom } from './event-log.ts'

const event = (data: string) => ({ at: Date.now(), organizationId: null, kind: 'intern' as const, data })

onEachDatabase('the log of events', (kind) => {
  test('numbers follow the order of commits, without gaps that fill later', async () => {
    await using store = await newDb(kind)
    const { query } = store.db
    const held = Promise.withResolvers<void>()
    const inserted = Promise.withResolvers<void>()
    const first = query.transaction().execute(async (tx) => {
      await appendEvents(tx, [event('"first"')])
      inserted.resolve()
      await held.promise
    })
    await inserted.promise
    let isDone = false
    const second = appendEvents(query, [event('"second"')]).then(() => {
      isDone = true
    })
    await sleep(500)
    assert.equal(isDone, false)
    held.resolve()
    await Promise.all([first, second])
    const events = await readEventsFrom(store, 0, 10)
    assert.deepEqual(
      events.map(({ data }) => data),
      ['"first"', '"second"'],
    )
  })

  test('has the notifications of a committed transaction, unchanged', async () => {
    await using store = await newDb(kind)
    const data = JSON.stringify({ text: `it's "quoted" \\ \u{1f600} \0 \ud800` })
    await store.db.exclusively('a', async (_tx, publish) => publish('intern.changed', 'x', event(data)))
    const failing = store.db.exclusively('a', async (_tx, publish) => {
      publish('intern.changed', 'x', event('"never"'))
      throw new Error('undone')
    })
    await assert.rejects(failing, /undone/)
    const events = await readEventsFrom(store, 0, 10)
    assert.deepEqual(
      events.map((one) => one.data),
      [data],
    )
  })

  test('stores entries for ten minutes by the clock of the database', async () => {
    await using store = await newDb(kind)
    let minutes = 0
    const prune = createEventPruner({ db: store.db, now: Date.now, steady: () => minutes * 60_000 })
    const storedEvents = async () => (await readEventsFrom(store, 0, 10)).map(({ data }) => data)
    // An event of a server whose clock is an hour behind.
    await appendEvents(store.db.query, [{ ...event('"early"'), at: Date.now() - 3_600_000 }, event('"late"')])
    await prune()
    await appendEvents(store.db.query, [event('"newest"')])
    minutes = 9
    await prune()
    assert.deepEqual(await storedEvents(), ['"early"', '"late"', '"newest"'])
    minutes = 10
    await prune()
    assert.deepEqual(await storedEvents(), ['"newest"'])
  })
})
