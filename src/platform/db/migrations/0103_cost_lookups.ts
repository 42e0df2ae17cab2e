import type { Kysely } from 'kysely'

/** Requests whose provider is asked for their cost later, an index of unconfirmed charges, and endpoints that billed too much. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('cost_lookups')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.createIndex('cost_lookups_due').on('cost_lookups').column('next_at').execute()
  await db.schema
    .createTable('overbilled_endpoints')
    .addColumn('endpoint', 'text', (c) => c.primaryKey().notNull())
    .addColumn('requests', 'bigint', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addColumn('last_generation', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('generations_unconfirmed')
    .on('generations')
    .columns(['organization_id', 'created_at'])
    .where('margin_pico' as never, '>', 0 as never)
    .execute()
}
