import type { Kysely } from 'kysely'

/** The total spending that the holder of a lease has reported. A report that arrives twice counts once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('budget_leases')
    .addColumn('spent_pico', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute()
}
