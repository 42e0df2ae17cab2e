import type { Kysely } from 'kysely'

/** The port at which a server serves the files of stopped interns to servers on other hosts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('intern_hosts').addColumn('kept_port', 'integer').execute()
}
