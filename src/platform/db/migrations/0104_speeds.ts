import type { Kysely } from 'kysely'

/**
 * The speeds of responses. If a provider reports no usage, the highest speed gives the most tokens that it can have generated,
 * which limits are charged.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('endpoint_minutes')
    .addColumn('speed', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
}
