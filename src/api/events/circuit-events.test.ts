import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEventsOfKind } from '#platform/db/event-log.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { until } from '#test/harness/until.ts'
import { CircuitEventWriter } from './circuit-events.ts'

onEachDatabase('changes of circuits', (kind) => {
  test('are written after a batch that could not be written', async () => {
    await using store = await newDb(kind)
    const { db } = store
    const errors: Error[] = []
    const queryThatFailsOnce = new Proxy(db.query, {
      get(target, name) {
        if (name === 'insertInto' && errors.length === 0) {
          // A change that arrives while the write fails.
          writer.add('a/m@second', { state: 'closed' })
          throw new Error('the database is away')
        }
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const writer = new CircuitEventWriter({
      db: { ...db, query: queryThatFailsOnce },
      now: Date.now,
      server: 's',
      onError: (error) => void errors.push(error),
    })
    writer.add('a/m@first', { state: 'closed' })
    const endpoints = await until(async () => {
      const events = await readEventsOfKind({ db }, 'circuit', 0)
      return events.length > 0 && events.map(({ data }) => JSON.parse(data).endpoint)
    })
    assert.deepEqual([endpoints, errors.length], [['a/m@second'], 1])
  })
})
