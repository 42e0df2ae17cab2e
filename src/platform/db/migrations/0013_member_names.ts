import type { Kysely } from 'kysely'
import { sql } from '../kysely.ts'

/** The name of a member in each organization, so that one organization does not rename a person in another. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('memberships')
    .addColumn('name', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await sql`update memberships set name = (select u.name from users u where u.id = memberships.user_id)`.execute(db)
}
