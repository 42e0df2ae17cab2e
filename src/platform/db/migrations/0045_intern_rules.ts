import type { Kysely } from 'kysely'

/**
 * All versions of the permission rules of workspaces and interns, and past questions with their answers, for replaying other
 * rules.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('intern_rules')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('intern_id', 'text', (c) => c.references('interns.id').onDelete('cascade'))
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('rules', 'text', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  const index = (name: string, table: string) => db.schema.createIndex(`${table}_by_${name}`).on(table)
  await index('workspace', 'intern_rules').columns(['workspace_id', 'intern_id', 'version']).execute()
  await index('intern', 'intern_rules').column('intern_id').execute()
  await db.schema
    .createTable('intern_past_questions')
    .addColumn('intern_id', 'text', (c) => c.notNull().references('interns.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('workspace_id', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('asked_at', 'bigint', (c) => c.notNull())
    .addColumn('answer', 'text')
    .addColumn('answered_by', 'text')
    .addPrimaryKeyConstraint('intern_past_questions_pk', ['intern_id', 'id'])
    .execute()
  await index('workspace', 'intern_past_questions').columns(['workspace_id', 'asked_at']).execute()
  await index('time', 'intern_past_questions').column('asked_at').execute()
}
