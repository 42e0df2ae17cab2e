import type { Kysely } from 'kysely'
import { sql } from '../kysely.ts'

/** Each organization has its own name for a member: a person who belongs to several is not renamed by one of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('memberships')
    .addColumn('name', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await sql`update memberships set name = (select u.name from users u where u.id = memberships.user_id)`.execute(db)
}
