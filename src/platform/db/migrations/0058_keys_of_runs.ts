import type { Kysely } from 'kysely'

/** The key that started a background run. The run ends when the key does. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('intern_runs').addColumn('key_hash', 'text').execute()
}
