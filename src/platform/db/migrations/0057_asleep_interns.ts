import type { Kysely } from 'kysely'

/** Interns whose processes have ended because nobody talked to them: since when. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('interns').addColumn('asleep_since', 'bigint').execute()
}
