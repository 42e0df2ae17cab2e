import type { Kysely } from 'kysely'

/** The percentages of limits that were announced to webhooks in each period, so that all servers together announce each once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('told_limits')
    .addColumn('budget', 'text', (c) => c.notNull())
    .addColumn('period', 'integer', (c) => c.notNull())
    .addColumn('reset_interval', 'text', (c) => c.notNull())
    .addColumn('limit_pico', 'bigint', (c) => c.notNull())
    .addColumn('percent', 'integer', (c) => c.notNull())
    .addColumn('told_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('told_limits_pk', ['budget', 'period', 'reset_interval', 'limit_pico'])
    .execute()
}
