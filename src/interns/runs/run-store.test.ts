import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#platform/core/fault.ts'
import { newDb } from '#test/harness/database/databases.ts'
import { listRuns } from './run-store.ts'

test('a list after an unknown run is refused, but a failure of the database is not reported as an unknown run', async () => {
  await using store = await newDb('sqlite')
  const list = () => listRuns(store, 'ada', { limit: 10, startingAfter: 'gone' })
  await assert.rejects(list, (error) => error instanceof Fault && error.kind === 'invalid')
  await store.db.query.schema.dropTable('intern_runs').execute()
  await assert.rejects(list, (error) => error instanceof Error && !(error instanceof Fault))
})
