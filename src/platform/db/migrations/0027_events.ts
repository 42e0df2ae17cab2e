import type { Kysely } from 'kysely'
import { SqliteAdapter, sql } from '../kysely.ts'
import { autoIncrementKey } from './portable.ts'

/**
 * Events of the last minutes for clients that listen, in the order of commits. The embedded database has one writer. On
 * Postgres the next number is taken under a lock until the transaction ends, so that no lower number appears later.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter
  if (!isSqlite) {
    await sql`create sequence events_seq`.execute(db)
    await sql`create function next_event() returns bigint language plpgsql as ${sql.lit(
      `begin perform pg_advisory_xact_lock(hashtextextended('order of events', 0)); return nextval('events_seq'); end`,
    )}`.execute(db)
  }
  const table = db.schema.createTable('events')
  const withKey = isSqlite
    ? table.addColumn('seq', ...autoIncrementKey(db))
    : table.addColumn('seq', 'bigint', (c) => c.primaryKey().defaultTo(sql`next_event()`))
  await withKey
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('organization_id', 'text')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .execute()
}
