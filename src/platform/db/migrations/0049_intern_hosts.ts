import type { Kysely } from 'kysely'

/**
 * The hosts that interns live on, how their daemons are reached from others, and which of them has moved to a host where
 * it has not been started yet.
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
