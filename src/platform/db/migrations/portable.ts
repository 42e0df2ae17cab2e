import type { ColumnBuilderCallback, ColumnDataType, Kysely } from 'kysely'
import { SqliteAdapter, sql } from '../kysely.ts'

/** SQL that differs between the two databases. */
const isSqlite = (db: Kysely<unknown>) => db.getExecutor().adapter instanceof SqliteAdapter

/** The type and constraints of an auto-incremented primary key. */
export function autoIncrementKey(db: Kysely<unknown>): [ColumnDataType, ColumnBuilderCallback] {
  if (isSqlite(db)) return ['integer', (column) => column.primaryKey().autoIncrement()]
  return ['bigserial', (column) => column.primaryKey()]
}

/** Makes the database reject updates and deletions of rows. */
export async function makeAppendOnly(db: Kysely<unknown>, table: string): Promise<void> {
  const message = sql.lit(`${table} is append-only`)
  if (isSqlite(db)) {
    for (const act of ['update', 'delete']) {
      const name = sql.id(`${table}_no_${act}`)
      const trigger = sql`create trigger ${name} before ${sql.raw(act)} on ${sql.table(table)}`
      await sql`${trigger} begin select raise(abort, ${message}); end`.execute(db)
    }
    return
  }
  const refuse = sql.id(`${table}_refuse`)
  await sql`create function ${refuse}() returns trigger language plpgsql as
    ${sql.lit(`begin raise exception '${table} is append-only'; end`)}`.execute(db)
  const trigger = sql.id(`${table}_append_only`)
  await sql`create trigger ${trigger} before update or delete or truncate on ${sql.table(table)}
    for each statement execute function ${refuse}()`.execute(db)
}

/**
 * Returns a function that creates an SQL expression for the text at a path in a JSON column; null if it is missing. Booleans are
 * 1 and 0 in SQLite, `true` and `false` in Postgres.
 */
export function jsonTextReader(db: Kysely<unknown>) {
  return (column: string, ...path: string[]) => {
    const json = isSqlite(db) ? sql.ref(column) : sql`cast(${sql.ref(column)} as json)`
    const steps = path.map((name, at) => sql`${sql.raw(at < path.length - 1 ? '->' : '->>')} ${sql.lit(name)}`)
    return sql`cast(${json} ${sql.join(steps, sql` `)} as text)`
  }
}
