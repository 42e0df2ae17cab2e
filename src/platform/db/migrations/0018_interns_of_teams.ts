import type { Kysely } from 'kysely'
import { sql } from '../kysely.ts'

/** The visibility of an intern. The name of an intern that the whole workspace sees is unique there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('interns')
    .addColumn('visibility', 'text', (c) => c.notNull().defaultTo('creator'))
    .execute()
  await sql`create unique index interns_shared_name on interns (workspace_id, name) where visibility = 'workspace'`.execute(
    db,
  )
}
