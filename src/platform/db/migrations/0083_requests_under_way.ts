import type { Kysely } from 'kysely'

/** Requests of interns that are not written yet: who asks what a turn took waits for these, and for no others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('requests_under_way')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('key_hash', 'text', (c) => c.notNull())
    .addColumn('began_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('requests_under_way_by_key').on('requests_under_way').column('key_hash').execute()
}
