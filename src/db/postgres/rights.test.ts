import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newEmptyPlace } from '#test/harness/databases.ts'
import { openDb } from '../open.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

test('a user without rights is told so, on an empty database and on one that another has filled', {
  skip,
}, async () => {
  const place = await newEmptyPlace('postgres')
  const { settings } = place
  const url = new URL(settings.database_url!)
  // A role that every Postgres has, and that has no right to any table.
  url.searchParams.set('options', '-c role=pg_monitor')
  const asAnother = () => openDb({ ...settings, database_url: url.href })
  const told = { name: 'StartupError', message: /^The user of the database lacks rights, .*Make it the owner/ }
  try {
    await assert.rejects(asAnother, told)
    await (await openDb(settings)).close()
    await assert.rejects(asAnother, {
      ...told,
      message: /lacks rights, .* permission denied for table kysely_migration/,
    })
  } finally {
    await place.remove()
  }
})
