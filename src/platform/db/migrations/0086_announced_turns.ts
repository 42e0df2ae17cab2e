import type { Kysely } from 'kysely'

/**
 * Turns with a budget, from before their first request until they are stored as runs; and the request that exceeded the
 * budget of a run.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('announced_turns')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('intern_id', 'text', (c) => c.notNull())
    .addColumn('session_id', 'text')
    .addColumn('key_hash', 'text', (c) => c.notNull())
    .addColumn('budget', 'text', (c) => c.notNull())
    .addColumn('began_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('announced_turns_by_key').on('announced_turns').column('key_hash').execute()
  await db.schema.alterTable('intern_runs').addColumn('refused', 'text').execute()
}
