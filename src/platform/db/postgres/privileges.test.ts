import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newEmptyTestStore } from '#test/harness/database/databases.ts'
import { sql } from '../kysely.ts'
import { openDb } from '../open.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

test('missing rights are reported, on an empty database and on an existing one', {
  skip,
}, async () => {
  const testStore = await newEmptyTestStore('postgres')
  const { settings } = testStore
  const url = new URL(settings.database_url!)
  // A role that exists in every Postgres and has no privilege on any table.
  url.searchParams.set('options', '-c role=pg_monitor')
  const asAnother = () => openDb({ ...settings, database_url: url.href })
  const expected = { name: 'UserFacingError', message: /^The database user lacks privileges, .*Make it the owner/ }
  try {
    await assert.rejects(asAnother, expected)
    await (await openDb(settings)).close()
    await assert.rejects(asAnother, {
      ...expected,
      message: /lacks privileges, .* permission denied for table kysely_migration/,
    })
  } finally {
    await testStore.remove()
  }
})

test('read-only rights are reported at the start, and full rights are accepted', {
  skip,
}, async () => {
  const testStore = await newEmptyTestStore('postgres')
  const { settings } = testStore
  const role = `reader_${Date.now()}_${process.pid}`
  const url = new URL(settings.database_url!)
  url.searchParams.set('options', `-c role=${role}`)
  const asReader = () => openDb({ ...settings, database_url: url.href })
  const owner = await openDb(settings)
  const grant = (right: string) => sql.raw(`grant ${right} to ${role}`).execute(owner.query)
  try {
    await sql.raw(`create role ${role}`).execute(owner.query)
    await grant('select on all tables in schema public')
    const expected =
      /^The database user lacks privileges: insert, update, delete on \w+ and \d+ others\. Make it the owner/
    await assert.rejects(asReader, { name: 'UserFacingError', message: expected })
    await grant('insert, update, delete on all tables in schema public')
    await assert.rejects(asReader, /lacks privileges: usage on audit_events_seq_seq and 1 others/)
    await grant('usage on all sequences in schema public')
    await (await asReader()).close()
  } finally {
    await sql
      .raw(`drop owned by ${role}; drop role ${role}`)
      .execute(owner.query)
      .catch(() => {})
    await owner.close()
    await testStore.remove()
  }
})

test('a database whose encoding lacks characters is refused with the right encoding', {
  skip,
}, async () => {
  const testStore = await newEmptyTestStore('postgres')
  const { settings } = testStore
  const name = `latin_${Date.now()}_${process.pid}`
  const owner = await openDb(settings)
  try {
    await sql
      .raw(`create database ${name} encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'`)
      .execute(owner.query)
    const database_url = Object.assign(new URL(settings.database_url!), { pathname: `/${name}` }).href
    const expected = new RegExp(`"${name}" has the encoding LATIN1, .* createdb .*--encoding UTF8`)
    await assert.rejects(openDb({ ...settings, database_url }), { name: 'UserFacingError', message: expected })
  } finally {
    await sql.raw(`drop database if exists ${name} with (force)`).execute(owner.query)
    await owner.close()
    await testStore.remove()
  }
})
