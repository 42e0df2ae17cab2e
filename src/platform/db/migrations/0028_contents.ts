import type { Kysely } from 'kysely'

/**
 * Prompts and responses of workspaces that store them. `sealed` is encrypted with the key file that `sealed_by` names.
 * Contents of requests before `contents_since` are deleted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const table = () => db.schema.alterTable('workspaces')
  await table()
    .addColumn('io_logging', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await table()
    .addColumn('io_logging_rate', 'double precision', (c) => c.notNull().defaultTo(1))
    .execute()
  await table().addColumn('io_logging_keys', 'text').execute()
  await table()
    .addColumn('contents_since', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('generation_contents')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('key_hash', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('sealed_by', 'text', (c) => c.notNull())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .execute()
  const index = (name: string) => db.schema.createIndex(`generation_contents_by_${name}`).on('generation_contents')
  await index('workspace').column('workspace_id').execute()
  await index('time').column('created_at').execute()
  await index('key').column('sealed_by').execute()
}
