import type { Kysely } from 'kysely'

/** At which port a server of a host answers servers of others for interns that do not run. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('intern_hosts').addColumn('kept_port', 'integer').execute()
}
