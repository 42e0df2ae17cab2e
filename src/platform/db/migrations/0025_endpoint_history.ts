import type { Kysely } from 'kysely'

/** Measurements of endpoints by hour, summed over all servers. Finished minutes are added to it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('endpoint_history')
    .addColumn('endpoint', 'text', (c) => c.notNull())
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addColumn('successes', 'bigint', (c) => c.notNull())
    .addColumn('errors', 'bigint', (c) => c.notNull())
    .addColumn('latency', 'text', (c) => c.notNull())
    .addColumn('throughput', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('endpoint_history_pk', ['endpoint', 'hour'])
    .execute()
  await db.schema.createIndex('endpoint_history_by_hour').on('endpoint_history').column('hour').execute()
}
