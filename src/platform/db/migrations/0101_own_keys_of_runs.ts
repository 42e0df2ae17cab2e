import type { Kysely } from 'kysely'

/** The intern's own key during each run, so that the model requests of a session can be found in the ledger. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('intern_runs').addColumn('own_key', 'text').execute()
}
