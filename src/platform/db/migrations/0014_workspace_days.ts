import type { Kysely } from 'kysely'
import { sql } from '../kysely.ts'

/** Daily sums by workspace, so that reports do not read a row for each key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const amounts = ['requests', 'prompt_tokens', 'completion_tokens', 'reasoning_tokens', 'cost_pico', 'margin_pico']
  const key = ['organization_id', 'day', 'workspace_id', 'model', 'endpoint', 'byok']
  const table = db.schema
    .createTable('workspace_days')
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('day', 'integer', (c) => c.notNull())
    .addColumn('workspace_id', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('endpoint', 'text', (c) => c.notNull())
    .addColumn('byok', 'integer', (c) => c.notNull())
  await amounts
    .reduce((builder, name) => builder.addColumn(name, 'bigint', (c) => c.notNull()), table)
    .addPrimaryKeyConstraint('workspace_days_pk', key as never[])
    .execute()
  await sql`insert into workspace_days (${sql.raw([...key, ...amounts].join(', '))})
    select ${sql.raw(key.join(', '))}, ${sql.raw(amounts.map(sumOf).join(', '))}
    from usage_days group by ${sql.raw(key.join(', '))}`.execute(db)
  for (const [table, column] of [
    ['workspace_days', 'workspace_id'],
    ['usage_days', 'workspace_id'],
    ['usage_days', 'user_id'],
  ] as const) {
    const name = `${table}_by_${column.slice(0, -'_id'.length)}`
    await db.schema.createIndex(name).on(table).columns([column, 'day']).execute()
  }
}

/** Adds in two halves, because the embedded database fails on sums beyond 2^63. The result is limited to 2^63. */
function sumOf(amount: string): string {
  const whole = `cast(${amount} as bigint)`
  const [high, low] = [`sum(${whole} / 1000000000)`, `sum(${whole} % 1000000000)`]
  const maxHigh = '9223372036'
  return `cast(case when ${high} >= ${maxHigh} then 9223372036854775807 else ${high} * 1000000000 + ${low} end as bigint)`
}
