import { UserFacingError } from '../../core/fault.ts'
import type { Db, Query, Tx } from '../db.ts'
import { CompiledQuery, sql } from '../kysely.ts'
import type { Tables } from '../tables.ts'

type Table = keyof Tables & string

/** Tables that are not copied, because they describe running processes. */
export const processTables = [
  'signal_revisions',
  'events',
  'requests_under_way',
  'announced_turns',
  'schema_range',
] as const satisfies readonly Table[]

/** All other tables, in an order in which each one follows the tables that it refers to. */
export const copiedTables = [
  'organizations',
  'users',
  'memberships',
  'workspaces',
  'workspace_members',
  'api_keys',
  'guardrails',
  'guardrail_assignments',
  'presets',
  'preset_versions',
  'audit_events',
  'browser_sessions',
  'sign_in_links',
  'oidc_identities',
  'passkeys',
  'passkey_challenges',
  'endpoint_minutes',
  'endpoint_hours',
  'endpoint_history',
  'model_hours',
  'generations',
  'generation_contents',
  'request_tags',
  'generation_feedback',
  'cost_lookups',
  'overbilled_endpoints',
  'usage_days',
  'workspace_days',
  'rollup_parts',
  'workspace_cells',
  'key_cells',
  'model_cells',
  'model_cells_since',
  'rollup_past',
  'provider_credentials',
  'intern_authorities',
  'intern_hosts',
  'interns',
  'intern_creations',
  'intern_questions',
  'intern_runs',
  'webhooks',
  'webhook_deliveries',
  'intern_past_questions',
  'intern_rules',
  'turn_counts',
  'budget_periods',
  'budget_leases',
  'told_limits',
  'budget_thresholds',
  'pooled_budgets',
] as const satisfies readonly Table[]

const rowsPerStatement = 1000

/**
 * Copies an embedded database into an empty Postgres database, in one transaction. One database serializes rows to JSON and
 * the other parses them, so that no number is converted to a double.
 * @param onTable is called for each table with rows.
 * @throws UserFacingError if the Postgres database is in use, or rejects a row.
 */
export async function copyToPostgres(
  { from, to }: { from: Pick<Db, 'query'>; to: Pick<Db, 'exclusively'> },
  onTable: (table: string, rows: number) => void = () => {},
): Promise<void> {
  // The lock of a first start, which fills an empty database.
  await to.exclusively('bootstrap', async (tx) => {
    await requireEmpty(tx)
    for (const table of copiedTables) {
      const rows = await copyTable(from.query, tx, table)
      if (rows > 0) onTable(table, rows)
    }
    // Only this copied table generates its keys. The next generated key must be higher than the copied ones.
    await sql`select setval(pg_get_serial_sequence('audit_events', 'seq'), max(seq)) from audit_events`.execute(tx)
  })
}

async function requireEmpty(tx: Tx): Promise<void> {
  const existing = await tx.selectFrom('organizations').select('id').limit(1).executeTakeFirst()
  if (!existing) return
  throw new UserFacingError('The Postgres database in DATABASE_URL is already in use. Specify an empty database.')
}

async function copyTable(from: Query, tx: Tx, table: Table): Promise<number> {
  const columns = await readColumns(from, table)
  const pairs = columns.map((column) => `'${column}', ${column}`).join(', ')
  const read = `select rowid as at, json_object(${pairs}) as record from ${table} where rowid > ? order by rowid limit ?`
  const write = `insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`
  let rowsCopied = 0
  for (let afterRowId = 0; ; ) {
    const { rows } = await from.executeQuery<{ at: number; record: string }>(
      CompiledQuery.raw(read, [afterRowId, rowsPerStatement]),
    )
    if (rows.length === 0) return rowsCopied
    await tx.executeQuery(CompiledQuery.raw(write, [`[${rows.map(({ record }) => record).join(',')}]`]))
    rowsCopied += rows.length
    afterRowId = rows.at(-1)!.at
  }
}

async function readColumns(from: Query, table: Table): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(from)
  return rows.map(({ name }) => name)
}
