import type { Kysely } from 'kysely'

/** The intern's key during a run, from which the cost of a killed run is computed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('intern_runs').addColumn('metered_key', 'text').execute()
}
