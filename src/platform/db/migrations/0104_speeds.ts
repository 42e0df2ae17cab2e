import type { Kysely } from 'kysely'

/** The speeds of answers after their start. Their highest limits what an answer without a usage report is charged. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('endpoint_minutes')
    .addColumn('speed', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
}
