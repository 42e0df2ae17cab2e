import type { Kysely } from 'kysely'
import { sql } from '../kysely.ts'

/** The schema versions whose servers can use this database. `newest` is the version that set the range. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schema_range')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('oldest', 'integer', (c) => c.notNull())
    .addColumn('newest', 'integer', (c) => c.notNull())
    .execute()
  await sql`insert into schema_range (id, oldest, newest) values (1, 88, 91)`.execute(db)
}
