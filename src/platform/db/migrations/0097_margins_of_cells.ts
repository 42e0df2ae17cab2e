import type { Kysely } from 'kysely'

/** The amounts that limits were charged in addition to the cost, in roll-ups. Earlier cells count none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['workspace_cells', 'key_cells', 'model_cells']) {
    await db.schema
      .alterTable(table)
      .addColumn('margin_pico', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute()
  }
}
