import type { Kysely } from 'kysely'

/** The intern's key during a run: what a run cost that did not end by itself is known by it alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('intern_runs').addColumn('metered_key', 'text').execute()
}
