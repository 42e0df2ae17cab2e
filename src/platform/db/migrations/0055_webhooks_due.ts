import type { Kysely } from 'kysely'

/** An index for finding due deliveries quickly, also with many pending ones. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('webhook_deliveries_due')
    .on('webhook_deliveries')
    .columns(['webhook_id', 'state', 'next_at'])
    .execute()
}
