import type { InsertObject, InsertQueryBuilder, InsertResult } from 'kysely'
import type { Query, Tx } from '../db.ts'
import { sql } from '../kysely.ts'
import type { Tables } from '../tables.ts'

type Column<Name extends keyof Tables> = keyof Tables[Name] & string

/**
 * Inserts rows, or updates existing rows with the same `key`.
 * @param options.add numeric columns to which the new value is added.
 * @param options.replace the columns that are replaced. By default, all others.
 */
export function upsert<Name extends keyof Tables & string>(
  query: Query | Tx,
  table: Name,
  rows: InsertObject<Tables, Name>[],
  options: { key: Column<Name>[]; add?: Column<Name>[]; replace?: Column<Name>[] },
): InsertQueryBuilder<Tables, Name, InsertResult> {
  const { key, add = [] } = options
  const others = Object.keys(rows[0] ?? {}).filter((column) => !(key as string[]).includes(column))
  const changes = (options.replace ?? others).map((column) => {
    const newValue = sql.ref(`excluded.${column}`)
    const isAdded = (add as string[]).includes(column)
    return [column, isAdded ? sql`${sql.ref(`${table}.${column}`)} + ${newValue}` : newValue]
  })
  // The casts: Kysely cannot derive the types of the columns from a generic table name.
  const insertion = query.insertInto(table).values(rows as never)
  return insertion.onConflict((on) =>
    on.columns(key as never).doUpdateSet(Object.fromEntries(changes) as never),
  ) as InsertQueryBuilder<Tables, Name, InsertResult>
}
