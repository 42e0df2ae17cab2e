import type { Kysely } from 'kysely'

/** Whether an intern asks before it acts, if a prompt does not set a mode. An intern that asks always asks. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('interns')
    .addColumn('approval_mode', 'text', (c) => c.notNull().defaultTo('self-drive'))
    .execute()
}
