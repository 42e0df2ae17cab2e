import type { Kysely } from 'kysely'

/** The default approval mode of an intern's prompts. If it is `manual`, prompts cannot choose `self-drive`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('interns')
    .addColumn('approval_mode', 'text', (c) => c.notNull().defaultTo('self-drive'))
    .execute()
}
