import type { Kysely } from 'kysely'

/** The ledger: a row per request, deleted after its retention, and sums per day, which are kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('generations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('workspace_id', 'text', (c) => c.notNull())
    .addColumn('key_hash', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('session_id', 'text')
    .addColumn('upstream_id', 'text')
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('cost_pico', 'bigint', (c) => c.notNull())
    .addColumn('record', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('generations_by_upstream_id')
    .on('generations')
    .columns(['upstream_id', 'created_at'])
    .execute()
  await db.schema.createIndex('generations_by_time').on('generations').columns(['created_at', 'id']).execute()
  await db.schema
    .createTable('usage_days')
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('day', 'integer', (c) => c.notNull())
    .addColumn('workspace_id', 'text', (c) => c.notNull())
    .addColumn('key_hash', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('endpoint', 'text', (c) => c.notNull())
    .addColumn('byok', 'integer', (c) => c.notNull())
    .addColumn('requests', 'bigint', (c) => c.notNull())
    .addColumn('prompt_tokens', 'bigint', (c) => c.notNull())
    .addColumn('completion_tokens', 'bigint', (c) => c.notNull())
    .addColumn('reasoning_tokens', 'bigint', (c) => c.notNull())
    .addColumn('cost_pico', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_days_pk', ['organization_id', 'day', 'key_hash', 'model', 'endpoint', 'byok'])
    .execute()
  await db.schema.createIndex('usage_days_by_key').on('usage_days').columns(['key_hash', 'day']).execute()
}
