import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#platform/core/fault.ts'
import { newDb } from '#test/harness/database/databases.ts'
import { listRuns } from './run-store.ts'

test('a list after an unknown run is refused, and a database failure is not unknown', async () => {
  await using store = await newDb('sqlite')
  const list = () => listRuns(store, 'ada', { limit: 10, startingAfter: 'gone' })
  await assert.rejects(list, (error) => error instanceof Fault && error.kind === 'invalid')
  await store.db.query.schema.dropTable('intern_runs').execute()
  await assert.rejects(list, (error) => error instanceof Error && !(error instanceof Fault))
})
