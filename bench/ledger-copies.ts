import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { cellTables } from '#spend/rollups/cell-tables.ts'

const dayMs = 86_400_000

type Run = (statement: string) => Promise<Record<string, unknown>[]>

/**
 * Copies the newest days to earlier days with new ids until there are `days`, because writing millions of rows would take
 * most of an hour. Indexes are rebuilt at the end, except that of time, which finds the days.
 */
export async function copyDays(
  place: { data_dir: string; database_url?: string | undefined },
  { now, filled, days }: { now: number; filled: number; days: number },
): Promise<void> {
  const { run, indexes, close } = place.database_url ? await postgres(place.database_url) : sqlite(place.data_dir)
  const existingIndexes = await indexes()
  for (const { name } of existingIndexes) await run(`drop index ${name}`)
  const columns = (table: string) => columnsOf(run, table, place.database_url !== undefined)
  for (let back = filled; back < days; back += filled) {
    const since = now - Math.min(filled, days - back) * dayMs
    const moved = { id: `id || '-${back}'`, created_at: `created_at - ${back * dayMs}` }
    await copy(
      run,
      'generations',
      await columns('generations'),
      moved,
      `created_at > ${since} and created_at <= ${now}`,
    )
    const slots = (ms: number) => [Math.floor(since / ms), Math.floor(now / ms) - 1]
    for (const table of cellTables) {
      for (const [grain, ms] of [
        [60, 3_600_000],
        [1440, dayMs],
      ] as const) {
        const [first, last] = slots(ms)
        const slot = { slot: `slot - ${(back * 1440) / grain}` }
        await copy(run, table, await columns(table), slot, `grain = ${grain} and slot between ${first} and ${last}`)
      }
    }
    for (const table of ['usage_days', 'workspace_days']) {
      const [first, last] = slots(dayMs)
      await copy(run, table, await columns(table), { day: `day - ${back}` }, `day between ${first} and ${last}`)
    }
  }
  for (const { sql } of existingIndexes) await run(sql)
  await run(place.database_url ? 'vacuum analyze' : 'pragma wal_checkpoint(truncate)')
  await close()
}

function copy(run: Run, table: string, columns: string[], moved: Record<string, string>, where: string) {
  const values = columns.map((name) => moved[name] ?? name)
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

async function postgres(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run: Run = async (statement) => (await client.query(statement)).rows
  await run("set statement_timeout = 0; set maintenance_work_mem = '1GB'; set synchronous_commit = off")
  const indexes = () =>
    run(`select indexname as name, indexdef as sql from pg_indexes
      where schemaname = 'public' and tablename = 'generations' and indexname not like '%_pkey' and indexname <> 'generations_by_time'`) as Promise<
      Index[]
    >
  return { run, indexes, close: () => client.end() }
}

function sqlite(folder: string) {
  const database = new DatabaseSync(join(folder, 'signalbox.db'))
  database.exec('pragma synchronous = off; pragma cache_size = -500000')
  const run: Run = async (statement) => database.prepare(statement).all() as Record<string, unknown>[]
  const indexes = () =>
    run(`select name, sql from sqlite_master
      where type = 'index' and tbl_name = 'generations' and sql is not null
        and name <> 'generations_by_time'`) as Promise<Index[]>
  return { run, indexes, close: async () => database.close() }
}
