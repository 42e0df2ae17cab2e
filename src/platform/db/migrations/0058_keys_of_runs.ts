import type { Kysely } from 'kysely'

/** The key that began a run in the background: the run ends with it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('intern_runs').addColumn('key_hash', 'text').execute()
}
