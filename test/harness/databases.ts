import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'node:test'
import pg from 'pg'
import type { Config } from '#config/settings.ts'
import type { Db } from '#db/db.ts'
import { openDb } from '#db/open.ts'

/** Where a test's store lives: settings for it, and the way to remove it. */
export type Place = { settings: Pick<Config, 'data_dir' | 'database_url'>; remove: () => Promise<void> }

export type DatabaseKind = 'sqlite' | 'postgres'

const adminUrl = process.env.TEST_DATABASE_URL

/** A fresh, empty store of one kind. */
export async function newPlace(kind: DatabaseKind): Promise<Place> {
  const data_dir = mkdtempSync(join(tmpdir(), 'signalbox-test-'))
  const removeFolder = () => rmSync(data_dir, { recursive: true, force: true })
  if (kind === 'sqlite') return { settings: { data_dir, database_url: undefined }, remove: async () => removeFolder() }

  const name = `signalbox_test_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name}`)
  const url = new URL(adminUrl!)
  url.pathname = `/${name}`
  return {
    settings: { data_dir, database_url: url.href },
    async remove() {
      await asAdmin(`drop database ${name} with (force)`)
      removeFolder()
    },
  }
}

/** A fresh, migrated database of one kind; `await using` removes it. */
export async function newDb(kind: DatabaseKind): Promise<{ db: Db } & AsyncDisposable> {
  const place = await newPlace(kind)
  const db = await openDb(place.settings)
  return {
    db,
    async [Symbol.asyncDispose]() {
      await db.close()
      await place.remove()
    },
  }
}

/** Runs one suite over both databases; without TEST_DATABASE_URL it says that it skipped the Postgres half. */
export function onEachDatabase(name: string, suite: (kind: DatabaseKind) => void): void {
  describe(`${name} (embedded)`, () => suite('sqlite'))
  describe(`${name} (Postgres)`, { skip: adminUrl ? false : 'TEST_DATABASE_URL is not set' }, () => suite('postgres'))
}

async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
