import type { Kysely } from 'kysely'

/**
 * The amount that limits are charged in addition to the reported cost: if no provider counted, the cost is an estimate,
 * and limits are charged the most that it can have been.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['generations', 'usage_days']) {
    await db.schema
      .alterTable(table)
      .addColumn('margin_pico', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute()
  }
}
