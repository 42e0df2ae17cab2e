import type { Kysely } from 'kysely'

/** The spending of each budget in each period, and the amounts that servers have leased for current requests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('budget_periods')
    .addColumn('budget', 'text', (c) => c.notNull())
    .addColumn('period', 'integer', (c) => c.notNull())
    .addColumn('spent_pico', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('budget_periods_pk', ['budget', 'period'])
    .execute()
  await db.schema
    .createTable('budget_leases')
    .addColumn('budget', 'text', (c) => c.notNull())
    .addColumn('period', 'integer', (c) => c.notNull())
    .addColumn('server', 'text', (c) => c.notNull())
    .addColumn('held_pico', 'bigint', (c) => c.notNull())
    .addColumn('renewed_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('budget_leases_pk', ['budget', 'period', 'server'])
    .execute()
}
