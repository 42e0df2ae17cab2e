import type { Kysely } from 'kysely'

/**
 * The hosts of interns, the addresses of their daemons, and which interns were moved to a host where they have not started
 * yet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('intern_hosts')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('address', 'text')
    .addColumn('labels', 'text', (c) => c.notNull())
    .addColumn('capacity', 'integer', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .addColumn('left_at', 'bigint')
    .execute()
  for (const name of ['tcp_access', 'host_labels'])
    await db.schema.alterTable('interns').addColumn(name, 'text').execute()
  await db.schema.alterTable('interns').addColumn('moved_at', 'bigint').execute()
  await db.schema.createIndex('interns_by_host').on('interns').column('hostname').execute()
}
