import type { Kysely } from 'kysely'

/** The format of a webhook, and the percentages of limits that are announced. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('webhooks')
    .addColumn('format', 'text', (c) => c.notNull().defaultTo('standard'))
    .execute()
  await db.schema
    .createTable('budget_thresholds')
    .addColumn('owner', 'text', (c) => c.primaryKey().notNull())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('percents', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
}
