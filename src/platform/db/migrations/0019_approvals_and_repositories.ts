import type { Kysely } from 'kysely'

/**
 * Questions of interns, so that an answer is recorded with its question; and the repositories of interns.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('intern_questions')
    .addColumn('intern_id', 'text', (c) => c.notNull().references('interns.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('question', 'text', (c) => c.notNull())
    .addColumn('asked_at', 'bigint', (c) => c.notNull())
    .addColumn('deadline_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('intern_questions_pk', ['intern_id', 'id'])
    .execute()
  for (const name of ['repository', 'repository_sealed', 'repository_sealed_by'])
    await db.schema.alterTable('interns').addColumn(name, 'text').execute()
}
