import type { Kysely } from 'kysely'

/**
 * The amount that limits are charged in addition to the cost: if the provider reported no usage, the cost is an estimate,
 * and limits are charged its upper bound.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['generations', 'usage_days']) {
    await db.schema
      .alterTable(table)
      .addColumn('margin_pico', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute()
  }
}
