import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { once } from '#platform/async/once.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Db } from '#platform/db/db.ts'
import { openDb } from '#platform/db/open.ts'

/** The store of a test: its settings, and a function that removes it. */
export type TestStore = { settings: Pick<Config, 'data_dir' | 'database_url'>; remove: () => Promise<void> }

export type DatabaseKind = 'sqlite' | 'postgres'

const adminUrl = process.env.TEST_DATABASE_URL

/** A fresh, empty store of one kind. */
export async function newEmptyTestStore(kind: DatabaseKind): Promise<TestStore> {
  return kind === 'sqlite' ? sqliteTestStore() : postgresTestStore('template1')
}

/**
 * A fresh store as after the first start of this version. It is a copy, because a migration takes ten times as long.
 */
export async function newTestStore(kind: DatabaseKind): Promise<TestStore> {
  if (kind === 'postgres') return postgresTestStore(await postgresTemplate())
  const testStore = sqliteTestStore()
  copyFileSync(await embeddedTemplate(), join(testStore.settings.data_dir, 'signalbox.db'))
  return testStore
}

/** A fresh, migrated database of one kind; `await using` removes it. */
export async function newDb(kind: DatabaseKind): Promise<{ db: Db } & AsyncDisposable> {
  const testStore = await newTestStore(kind)
  const db = await openDb(testStore.settings)
  return {
    db,
    async [Symbol.asyncDispose]() {
      await db.close()
      await testStore.remove()
    },
  }
}

/** Runs one suite over both databases; without TEST_DATABASE_URL it reports the Postgres half as skipped. */
export function onEachDatabase(name: string, suite: (kind: DatabaseKind) => void): void {
  describe(`${name} (embedded)`, () => suite('sqlite'))
  describe(`${name} (Postgres)`, { skip: adminUrl ? false : 'TEST_DATABASE_URL is not set' }, () => suite('postgres'))
}

/**
 * Runs one suite over Postgres, or over the embedded database without TEST_DATABASE_URL. For slow tests of behaviour
 * whose SQL is tested over both databases beside the code.
 */
export function onOneDatabase(name: string, suite: (kind: DatabaseKind) => void): void {
  describe(name, () => suite(adminUrl ? 'postgres' : 'sqlite'))
}

function sqliteTestStore(): TestStore {
  const data_dir = mkdtempSync(join(tmpdir(), 'signalbox-test-'))
  return {
    settings: { data_dir, database_url: undefined },
    remove: async () => rmSync(data_dir, { recursive: true, force: true }),
  }
}

async function postgresTestStore(template: string): Promise<TestStore> {
  const { settings, remove } = sqliteTestStore()
  const name = `signalbox_test_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name} template ${template}`)
  return {
    settings: { ...settings, database_url: databaseUrl(name) },
    async remove() {
      await asAdmin(`drop database ${name} with (force)`)
      await remove()
    },
  }
}

function databaseUrl(name: string): string {
  const url = new URL(adminUrl!)
  url.pathname = `/${name}`
  return url.href
}

const embeddedTemplate = once(async () => {
  const testStore = sqliteTestStore()
  process.once('exit', () => rmSync(testStore.settings.data_dir, { recursive: true, force: true }))
  const db = await openDb(testStore.settings)
  await db.close()
  return join(testStore.settings.data_dir, 'signalbox.db')
})

/** The first process creates it once for each state of the code; it stays in the server for the next tests. */
const postgresTemplate = once(async () => {
  const root = fileURLToPath(new URL('../../../src/platform/db', import.meta.url))
  const hash = createHash('sha256')
  for (const file of globSync('**/*.ts', { cwd: root }).sort()) hash.update(readFileSync(join(root, file)))
  const name = `signalbox_template_${hash.digest('hex').slice(0, 12)}`
  await withAdmin(async (client) => {
    await client.query(`select pg_advisory_lock(hashtext('${name}'))`)
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount) return
    // It has another name until it is complete, because this process can end at any time.
    const unfinished = `${name}_${randomBytes(4).toString('hex')}`
    await client.query(`create database ${unfinished}`)
    const db = await openDb({ data_dir: tmpdir(), database_url: databaseUrl(unfinished) })
    await db.close()
    await client.query(`alter database ${unfinished} rename to ${name}`)
  })
  return name
})

async function asAdmin(statement: string): Promise<void> {
  await withAdmin((client) => client.query(statement))
}

async function withAdmin(act: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await act(client)
  } finally {
    await client.end()
  }
}
