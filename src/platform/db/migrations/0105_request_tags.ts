import type { Kysely } from 'kysely'

/** Tags of requests, by which costs are summed, and feedback about responses. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('request_tags')
    .addColumn('generation_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('request_tags_key', ['generation_id', 'name', 'value'])
    .execute()
  await db.schema.createIndex('request_tags_age').on('request_tags').column('created_at').execute()
  await db.schema
    .createTable('generation_feedback')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('generation_id', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('category', 'text', (c) => c.notNull())
    .addColumn('comment', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('generation_feedback_of').on('generation_feedback').column('generation_id').execute()
  await db.schema.createIndex('generation_feedback_age').on('generation_feedback').column('created_at').execute()
}
