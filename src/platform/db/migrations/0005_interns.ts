import type { Kysely } from 'kysely'

/** Interns, the setting that allows them, and counts for their rate limits. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('organizations')
    .addColumn('interns_programme', 'integer', (c) => c.notNull().defaultTo(1))
    .execute()
  await db.schema
    .alterTable('api_keys')
    .addColumn('interns_grant', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('interns')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id'))
    .addColumn('creator_user_id', 'text', (c) => c.notNull().references('users.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text')
    .addColumn('instructions', 'text')
    .addColumn('model', 'text')
    .addColumn('agent', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('last_failure_message', 'text')
    .addColumn('progress', 'text')
    .addColumn('hostname', 'text')
    .addColumn('home', 'text')
    .addColumn('key_hash', 'text')
    .addColumn('supervisor', 'text')
    .addColumn('supervised_until', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('interns_name', ['workspace_id', 'creator_user_id', 'name'])
    .execute()
  await db.schema.createIndex('interns_by_status').on('interns').columns(['status', 'id']).execute()
  await db.schema
    .createTable('intern_creations')
    .addColumn('workspace_id', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('idempotency_key', 'text', (c) => c.notNull())
    .addColumn('body_hash', 'text', (c) => c.notNull())
    .addColumn('intern_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('intern_creations_pk', ['workspace_id', 'user_id', 'idempotency_key'])
    .execute()
  await db.schema
    .createTable('turn_counts')
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('minute', 'bigint', (c) => c.notNull())
    .addColumn('turns', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('turn_counts_pk', ['subject', 'minute'])
    .execute()
}
