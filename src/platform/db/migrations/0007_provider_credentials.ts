import type { Kysely } from 'kysely'

/** Workspaces' own provider keys (BYOK). `sealed` is encrypted with the key file that `sealed_by` names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('provider_credentials')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('name', 'text')
    .addColumn('label', 'text', (c) => c.notNull())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('sealed_by', 'text', (c) => c.notNull())
    .addColumn('rules', 'text', (c) => c.notNull())
    .addColumn('sort_order', 'integer', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('provider_credentials_by_workspace')
    .on('provider_credentials')
    .columns(['workspace_id', 'provider', 'sort_order'])
    .execute()
}
