import type { Kysely } from 'kysely'

/** The hosts from which an intern is allowed to fetch pages. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('interns').addColumn('web_hosts', 'text').execute()
}
