import type { Kysely } from 'kysely'

/** The certificate authorities of servers and interns' daemons. `key_sealed` is encrypted with the key that `sealed_by` names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('intern_authorities')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('certificate', 'text', (c) => c.notNull())
    .addColumn('key_sealed', 'text', (c) => c.notNull())
    .addColumn('sealed_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()
}
