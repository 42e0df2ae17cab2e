import type { Kysely } from 'kysely'
import { sql } from '../kysely.ts'

const dayMs = 86_400_000

/** Servers of the previous version, which write no such cells, can still use a shared database for this time. */
const olderServersMs = 3_600_000

/**
 * Sums of models by hour and day without other dimensions, so that reports by model read few rows. In a database with
 * requests they are complete from tomorrow on; for earlier days, reports read the cells of workspaces.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const amounts = [
    'requests',
    'answered',
    'failed',
    'refused',
    'cancelled',
    'prompt_tokens',
    'completion_tokens',
    'reasoning_tokens',
    'cached_tokens',
    'cache_written_tokens',
    'tool_calls',
    'cost_pico',
    'byok_cost_pico',
    'saving_pico',
  ]
  const texts = ['cell', 'organization_id', 'model', 'latency', 'duration', 'throughput']
  const numbers = ['grain', 'slot', ...amounts]
  const columns = [
    ...numbers.map((column) => [column, 'bigint'] as const),
    ...texts.map((column) => [column, 'text'] as const),
  ]
  await columns
    .reduce(
      (builder, [name, type]) => builder.addColumn(name, type, (c) => c.notNull()),
      db.schema.createTable('model_cells'),
    )
    .addPrimaryKeyConstraint('model_cells_pk', ['grain', 'slot', 'cell'] as never[])
    .execute()
  await db.schema
    .createTable('model_cells_since')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('day', 'bigint', (c) => c.notNull())
    .execute()
  const nextDay = Math.floor((Date.now() + olderServersMs) / dayMs) + 1
  const tables = ['generations', 'rollup_parts', 'workspace_cells']
  const haveRows = tables.map((name) => sql`exists (select 1 from ${sql.table(name)})`)
  await sql`insert into model_cells_since (id, day) select 1, ${sql.lit(nextDay)} where ${sql.join(haveRows, sql` or `)}`.execute(
    db,
  )
}
