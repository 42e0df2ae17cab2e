import type { Kysely } from 'kysely'

/**
 * Measurements per endpoint and minute or hour, and per model and hour. Each server writes separate rows. The others read
 * the rows that are new since their last read.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('endpoint_minutes')
    .addColumn('endpoint', 'text', (c) => c.notNull())
    .addColumn('minute', 'bigint', (c) => c.notNull())
    .addColumn('writer', 'text', (c) => c.notNull())
    .addColumn('successes', 'bigint', (c) => c.notNull())
    .addColumn('errors', 'bigint', (c) => c.notNull())
    .addColumn('latency', 'text', (c) => c.notNull())
    .addColumn('throughput', 'text', (c) => c.notNull())
    .addColumn('written_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('endpoint_minutes_pk', ['minute', 'endpoint', 'writer'])
    .execute()
  await db.schema
    .createTable('endpoint_hours')
    .addColumn('endpoint', 'text', (c) => c.notNull())
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addColumn('writer', 'text', (c) => c.notNull())
    .addColumn('successes', 'bigint', (c) => c.notNull())
    .addColumn('errors', 'bigint', (c) => c.notNull())
    .addColumn('written_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('endpoint_hours_pk', ['hour', 'endpoint', 'writer'])
    .execute()
  await db.schema
    .createTable('model_hours')
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addColumn('writer', 'text', (c) => c.notNull())
    .addColumn('requests', 'bigint', (c) => c.notNull())
    .addColumn('tokens', 'bigint', (c) => c.notNull())
    .addColumn('tool_calls', 'bigint', (c) => c.notNull())
    .addColumn('written_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('model_hours_pk', ['hour', 'model', 'writer'])
    .execute()
  for (const table of ['endpoint_minutes', 'endpoint_hours', 'model_hours']) {
    await db.schema.createIndex(`${table}_written`).on(table).column('written_at').execute()
  }
}
