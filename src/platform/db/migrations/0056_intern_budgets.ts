import type { Kysely } from 'kysely'

/** What turns and sessions of an intern may take, and what a turn took of that. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('interns').addColumn('budget', 'text').execute()
  await db.schema.alterTable('intern_runs').addColumn('budget', 'text').execute()
  await db.schema.alterTable('intern_runs').addColumn('spent_usd', 'double precision').execute()
}
