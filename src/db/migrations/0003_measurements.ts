import type { Kysely } from 'kysely'

/** What the service measured: per endpoint and minute, per model and hour. Each server writes rows of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('endpoint_minutes')
    .addColumn('endpoint', 'text', (c) => c.notNull())
    .addColumn('minute', 'bigint', (c) => c.notNull())
    .addColumn('writer', 'text', (c) => c.notNull())
    .addColumn('requests', 'integer', (c) => c.notNull())
    .addColumn('errors', 'integer', (c) => c.notNull())
    .addColumn('latency', 'text', (c) => c.notNull())
    .addColumn('throughput', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('endpoint_minutes_pk', ['minute', 'endpoint', 'writer'])
    .execute()
  await db.schema
    .createTable('model_hours')
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addColumn('writer', 'text', (c) => c.notNull())
    .addColumn('requests', 'bigint', (c) => c.notNull())
    .addColumn('tokens', 'bigint', (c) => c.notNull())
    .addColumn('tool_requests', 'bigint', (c) => c.notNull())
    .addColumn('tool_successes', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('model_hours_pk', ['hour', 'model', 'writer'])
    .execute()
}
