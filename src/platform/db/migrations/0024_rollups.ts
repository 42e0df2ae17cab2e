import type { Kysely } from 'kysely'
import { sql } from '../kysely.ts'

/**
 * Roll-ups of the ledger, which reports read instead of it. Parts are written with the rows that they count, and later
 * merged into cells. `rolled_up` marks older rows, which are counted in steps after the start.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('rollup_parts')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('cells', 'text', (c) => c.notNull())
    .execute()
  const common = ['model', 'endpoint', 'provider', 'preset', 'outcome', 'error', 'byok']
  await createCellTable(db, 'workspace_cells', ['organization_id', 'workspace_id', ...common])
  await createCellTable(db, 'key_cells', ['organization_id', 'workspace_id', 'key_hash', 'user_id', ...common])
  await schema.createIndex('key_cells_by_key').on('key_cells').columns(['key_hash', 'grain', 'slot']).execute()
  await schema
    .createTable('rollup_past')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('after_at', 'bigint', (c) => c.notNull())
    .addColumn('after_id', 'text', (c) => c.notNull())
    .addColumn('until_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema
    .alterTable('generations')
    .addColumn('rolled_up', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  // Servers of the previous version can still write to a shared database for some time.
  const until = Date.now() + 3_600_000
  await sql`insert into rollup_past (id, after_at, after_id, until_at)
    select 1, 0, '', ${sql.lit(until)} where exists (select 1 from generations)`.execute(db)
}

async function createCellTable(db: Kysely<unknown>, name: string, dimensions: string[]): Promise<void> {
  const amounts = [
    'requests',
    'prompt_tokens',
    'completion_tokens',
    'reasoning_tokens',
    'cached_tokens',
    'cache_written_tokens',
    'tool_calls',
    'cost_pico',
    'saving_pico',
  ]
  const texts = ['cell', ...dimensions, 'latency', 'duration', 'throughput']
  const numbers = ['grain', 'slot', ...amounts]
  const columns = [
    ...numbers.map((column) => [column, 'bigint'] as const),
    ...texts.map((column) => [column, 'text'] as const),
  ]
  await columns
    .reduce(
      (builder, [column, type]) => builder.addColumn(column, type, (c) => c.notNull()),
      db.schema.createTable(name),
    )
    .addPrimaryKeyConstraint(`${name}_pk`, ['grain', 'slot', 'cell'] as never[])
    .execute()
}
