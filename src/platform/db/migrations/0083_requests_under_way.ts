import type { Kysely } from 'kysely'

/** Requests of interns that are not in the ledger yet. The cost of a turn is final when it has none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('requests_under_way')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('key_hash', 'text', (c) => c.notNull())
    .addColumn('began_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('requests_under_way_by_key').on('requests_under_way').column('key_hash').execute()
}
