import type { Kysely } from 'kysely'

/** The budgets of turns and sessions of interns, and the spending of each turn. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('interns').addColumn('budget', 'text').execute()
  await db.schema.alterTable('intern_runs').addColumn('budget', 'text').execute()
  await db.schema.alterTable('intern_runs').addColumn('spent_usd', 'double precision').execute()
}
