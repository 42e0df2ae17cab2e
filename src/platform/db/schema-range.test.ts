import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Migration } from 'kysely'
import { newDb, newTestStore, onEachDatabase } from '#test/harness/database/databases.ts'
import { until } from '#test/harness/until.ts'
import { migrate, migrations } from './migrate.ts'
import { openDb } from './open.ts'
import { findSchemaProblem, readSchema, watchSchema } from './schema-range.ts'

const own = Object.keys(migrations)
const additive: Migration = { up: (db) => db.schema.createTable('added').addColumn('id', 'text').execute() }
const nextVersion = { ...migrations, '9001_next': additive }
const breaking = new Set(['9001_next'])
const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

onEachDatabase('the schema range', (kind) => {
  test('a migration that only adds leaves the database usable for the version before', async () => {
    await using store = await newDb(kind)
    await migrate(store.db, nextVersion)
    assert.equal(findSchemaProblem(await readSchema(store.db), own), undefined)
    await migrate(store.db)
  })

  test('an unknown migration that no version decided about is refused', async () => {
    const schema = { applied: [...own, '9999_future'], range: { oldest: 88, newest: 91 } }
    assert.match(
      findSchemaProblem(schema, own) ?? '',
      /newer version of Signalbox \(it has the migration 9999_future\)/,
    )
  })
})

test('after a breaking migration the version before refuses the database', async () => {
  await using store = await newDb('sqlite')
  await migrate(store.db, nextVersion, { breaking })
  await assert.rejects(migrate(store.db), /newer version of Signalbox: it needs schema version 9001 or later/)
})

test('a breaking migration waits until the servers of the version before have stopped', { skip }, async () => {
  const testStore = await newTestStore('postgres')
  await using stack = new AsyncDisposableStack()
  stack.defer(testStore.remove)
  const older = await openDb(testStore.settings)
  const events: string[] = []
  const endWatch = watchSchema(older, own, async (reason) => {
    events.push(reason)
    await older.close()
    events.push('closed')
  })
  stack.defer(endWatch)
  const { openPostgres } = await import('./postgres/open.ts')
  const { Settings } = await import('#platform/config/settings.ts')
  const newer = await openPostgres(
    testStore.settings.database_url!,
    async (query) => {
      await migrate({ kind: 'postgres', query }, nextVersion, { breaking })
      events.push('migrated')
    },
    {},
    Settings.parse(testStore.settings),
  )
  stack.defer(newer.close)
  await until(() => events.includes('migrated'))
  assert.match(events[0]!, /needs schema version 9001 or later/)
  assert.equal(events.at(-1), 'migrated')
})

test('a breaking migration is refused while servers run that do not watch the schema', { skip }, async () => {
  const testStore = await newTestStore('postgres')
  await using stack = new AsyncDisposableStack()
  stack.defer(testStore.remove)
  const older = await openDb(testStore.settings)
  stack.defer(older.close)
  await older.query.selectFrom('users').selectAll().execute()
  const deaf = migrate({ kind: 'postgres', query: older.query }, nextVersion, { breaking, waitMs: 0 })
  await assert.rejects(deaf, /Servers of an older version use this database.*9001_next breaks them\. Stop them/)
  assert.equal(findSchemaProblem(await readSchema(older), own), undefined)
})
