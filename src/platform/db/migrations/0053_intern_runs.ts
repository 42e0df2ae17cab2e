import type { Kysely } from 'kysely'

/**
 * The turns of interns, available also after the caller has disconnected or the intern has stopped. `runs_seen` is the
 * revision up to which the milestones of the daemon are stored.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('interns')
    .addColumn('runs_seen', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('intern_runs')
    .addColumn('intern_id', 'text', (c) => c.notNull().references('interns.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('background', 'integer', (c) => c.notNull())
    .addColumn('started_by', 'text')
    .addColumn('question_id', 'text')
    .addColumn('outcome', 'text')
    .addColumn('message', 'text')
    .addColumn('model', 'text')
    .addColumn('usage', 'text')
    .addColumn('began_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addPrimaryKeyConstraint('intern_runs_pk', ['intern_id', 'id'])
    .execute()
  const index = (name: string) => db.schema.createIndex(`intern_runs_by_${name}`).on('intern_runs')
  await index('begin').columns(['intern_id', 'began_at', 'id']).execute()
  await index('end').column('ended_at').execute()
}
