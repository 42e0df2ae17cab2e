import type { Kysely } from 'kysely'

/** Whether anything is due of a webhook is found at once, however much waits. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('webhook_deliveries_due')
    .on('webhook_deliveries')
    .columns(['webhook_id', 'state', 'next_at'])
    .execute()
}
