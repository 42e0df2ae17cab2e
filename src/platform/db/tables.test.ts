import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { declaredTables } from '#test/harness/database/tables-source.ts'
import type { Db } from './db.ts'
import { sql } from './kysely.ts'
import { copiedTables, processTables } from './maintenance/copy.ts'
import { migrations } from './migrate.ts'

const schema = declaredTables()
const declaredColumns = Object.entries(schema).flatMap(([table, columns]) =>
  Object.entries(columns).map(([name, facts]) => ({ path: `${table}.${name}`, ...facts })),
)
const folder = new URL('./migrations/', import.meta.url)

/** The column type for each type of db/tables.ts. A bigint must not pass through a double. */
const columnTypes: Record<string, RegExp> = {
  string: /^text$/i,
  number: /^(integer|int[48]|bigint|real|double precision|float8)$/i,
  bigint: /^(bigint|int8|numeric)/i,
}

onEachDatabase('db/tables.ts', (kind) => {
  test('declares every table and column of the migrations, and which can be null', async () => {
    await using store = await newDb(kind)
    const made = await store.db.query.introspection.getTables()
    const keys = kind === 'sqlite' ? await keyColumns(store.db) : new Set<string>()
    const nulls = made.flatMap(({ name: table, columns }) =>
      columns.map(({ name, isNullable }) => [`${table}.${name}`, isNullable && !keys.has(`${table}.${name}`)]),
    )
    const expected = declaredColumns.map(({ path, nullable }) => [path, nullable])
    assert.deepEqual(Object.fromEntries(nulls), Object.fromEntries(expected))
  })

  test('declares the type of every column, and a default where the code sets none', async () => {
    await using store = await newDb(kind)
    const tables = await store.db.query.introspection.getTables()
    const made = new Map(tables.flatMap(({ name, columns }) => columns.map((each) => [`${name}.${each.name}`, each])))
    const wrong = declaredColumns.filter(({ path, type, generated }) => {
      const { dataType = '', hasDefaultValue, isAutoIncrementing } = made.get(path) ?? {}
      return !columnTypes[type]?.test(dataType) || (generated && !hasDefaultValue && !isAutoIncrementing)
    })
    assert.deepEqual(wrong, [])
  })
})

/** SQLite allows null in a primary key without `not null`, but no code writes it. */
async function keyColumns({ query }: Db): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`select m.name || '.' || c.name as key
    from sqlite_master as m join pragma_table_info(m.name) as c where m.type = 'table' and c.pk > 0`.execute(query)
  return new Set(rows.map(({ key }) => key))
}

test('every table is copied, except those that start empty', () => {
  assert.deepEqual([...copiedTables, ...processTables].sort(), Object.keys(schema).sort())
})

test('a table is copied after those it refers to', async () => {
  await using store = await newDb('sqlite')
  for (const [at, table] of copiedTables.entries()) {
    const { rows } = await sql<{ to: string }>`select "table" as "to" from pragma_foreign_key_list(${table})`.execute(
      store.db.query,
    )
    const later = rows.filter(({ to }) => to !== table && copiedTables.indexOf(to as never) > at)
    assert.deepEqual(later, [], `${table} comes too early`)
  }
})

test('every file of migrations/ is registered under its name, and nothing else is', async () => {
  const files = readdirSync(fileURLToPath(folder)).filter((file) => /^\d{4}_/.test(file))
  const modules = files.map(async (file) => [file.replace('.ts', ''), await import(new URL(file, folder).href)])
  assert.deepEqual(migrations, Object.fromEntries(await Promise.all(modules)))
  assert.deepEqual(Object.keys(migrations), Object.keys(migrations).sort(), 'in the order of their numbers')
})
