import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { dayMs } from '#platform/core/clock.ts'
import { cellTables } from '#spend/rollups/cell-tables.ts'

type Run = (statement: string) => Promise<Record<string, unknown>[]>

/**
 * Copies the newest days to earlier days with new ids until there are `days`, because writing millions of rows would take
 * most of an hour. Indexes are rebuilt at the end, except that of time, which finds the days.
 */
export async function copyDays(
  settings: { data_dir: string; database_url?: string | undefined },
  { now, filled, days }: { now: number; filled: number; days: number },
): Promise<void> {
  const { run, readIndexes, close } = settings.database_url
    ? await openPostgres(settings.database_url)
    : openSqlite(settings.data_dir)
  const existingIndexes = await readIndexes()
  for (const { name } of existingIndexes) await run(`drop index ${name}`)
  const columns = (table: string) => columnsOf(run, table, settings.database_url !== undefined)
  for (let daysBack = filled; daysBack < days; daysBack += filled) {
    const since = now - Math.min(filled, days - daysBack) * dayMs
    const newValues = { id: `id || '-${daysBack}'`, created_at: `created_at - ${daysBack * dayMs}` }
    await copyRows(
      run,
      'generations',
      await columns('generations'),
      newValues,
      `created_at > ${since} and created_at <= ${now}`,
    )
    const slotRange = (ms: number) => [Math.floor(since / ms), Math.floor(now / ms) - 1]
    // Each cell has a grain in minutes, and a slot: the number of its interval since the epoch.
    for (const table of cellTables) {
      for (const [grain, ms] of [
        [60, 3_600_000],
        [1440, dayMs],
      ] as const) {
        const [first, last] = slotRange(ms)
        const slot = { slot: `slot - ${(daysBack * 1440) / grain}` }
        await copyRows(run, table, await columns(table), slot, `grain = ${grain} and slot between ${first} and ${last}`)
      }
    }
    for (const table of ['usage_days', 'workspace_days']) {
      const [first, last] = slotRange(dayMs)
      await copyRows(run, table, await columns(table), { day: `day - ${daysBack}` }, `day between ${first} and ${last}`)
    }
  }
  for (const { sql } of existingIndexes) await run(sql)
  await run(settings.database_url ? 'vacuum analyze' : 'pragma wal_checkpoint(truncate)')
  await close()
}

function copyRows(run: Run, table: string, columns: string[], newValues: Record<string, string>, where: string) {
  const values = columns.map((name) => newValues[name] ?? name)
  return run(`insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from ${table} where ${where}
    on conflict do nothing`)
}

async function columnsOf(run: Run, table: string, isPostgres: boolean): Promise<string[]> {
  const rows = await run(
    isPostgres
      ? `select column_name as name from information_schema.columns where table_name = '${table}'`
      : `select name from pragma_table_info('${table}')`,
  )
  return rows.map(({ name }) => String(name))
}

type Index = { name: string; sql: string }

async function openPostgres(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run: Run = async (statement) => (await client.query(statement)).rows
  await run("set statement_timeout = 0; set maintenance_work_mem = '1GB'; set synchronous_commit = off")
  const readIndexes = () =>
    run(`select indexname as name, indexdef as sql from pg_indexes
      where schemaname = 'public' and tablename = 'generations' and indexname not like '%_pkey' and indexname <> 'generations_by_time'`) as Promise<
      Index[]
    >
  return { run, readIndexes, close: () => client.end() }
}

function openSqlite(folder: string) {
  const database = new DatabaseSync(join(folder, 'signalbox.db'))
  database.exec('pragma synchronous = off; pragma cache_size = -500000')
  const run: Run = async (statement) => database.prepare(statement).all() as Record<string, unknown>[]
  const readIndexes = () =>
    run(`select name, sql from sqlite_master
      where type = 'index' and tbl_name = 'generations' and sql is not null
        and name <> 'generations_by_time'`) as Promise<Index[]>
  return { run, readIndexes, close: async () => database.close() }
}
