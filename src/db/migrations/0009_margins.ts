import type { Kysely } from 'kysely'

/**
 * What limits are charged beyond what is told as the cost: where no provider counted, the cost is an estimate, and limits
 * go by the most it can have been.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['generations', 'usage_days']) {
    await db.schema
      .alterTable(table)
      .addColumn('margin_pico', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute()
  }
}
