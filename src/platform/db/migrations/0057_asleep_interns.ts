import type { Kysely } from 'kysely'

/** When an idle intern fell asleep, that is, when its processes ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('interns').addColumn('asleep_since', 'bigint').execute()
}
