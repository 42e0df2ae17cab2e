import type { Kysely } from 'kysely'

/** What the holder of a lease has said that it spent, in all: said twice, it counts once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('budget_leases')
    .addColumn('spent_pico', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute()
}
