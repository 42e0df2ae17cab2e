import type { Db, Tx } from '../db.ts'
import { CompiledQuery } from '../kysely.ts'
import type { Tables } from '../tables.ts'

/** A value of a row. Integers beyond 2⁵³ are passed as text. */
export type ColumnValue = string | number | null

/** The only parameter of a statement that the embedded database runs once for each row. */
export type RowsParameter = { rowsOfValues: readonly ColumnValue[][] }

/** The only parameter of a transaction that runs in one message to the thread of the embedded database. */
export type StatementBatch = { statements: readonly { sql: string; rows: readonly ColumnValue[][] }[] }

/** The number of rows per message to the database thread. More would block the event loop and allocate megabytes. */
const rowsPerMessage = 100

type Columns<Table> = { readonly [Name in keyof Table]?: 'text' | 'bigint' }

/**
 * Inserts many rows with one statement, whose text does not depend on their number: the embedded database runs it for each
 * row, Postgres receives the rows as one JSON text.
 * @param suffix SQL after the values, such as `on conflict …`.
 */
export async function insertRows<Name extends keyof Tables & string>(
  db: Pick<Db, 'kind'>,
  tx: Tx,
  table: Name,
  columns: Columns<Tables[Name]>,
  rows: readonly ColumnValue[][],
  suffix = '',
): Promise<void> {
  if (db.kind === 'sqlite') {
    for (let at = 0; at < rows.length; at += rowsPerMessage) {
      const rowsOfValues: RowsParameter = { rowsOfValues: toStorableRows(rows.slice(at, at + rowsPerMessage)) }
      await tx.executeQuery(CompiledQuery.raw(insertWithParameters(table, columns, suffix), [rowsOfValues]))
    }
    return
  }
  await tx.executeQuery(
    CompiledQuery.raw(`${insertFromJson(table, columns, 1)} ${suffix}`, [JSON.stringify(toStorableRows(rows))]),
  )
}

/** Rows for a table. `suffix` is SQL after the values. */
export type Insertion = {
  [Name in keyof Tables & string]: {
    table: Name
    columns: Columns<Tables[Name]>
    rows: readonly ColumnValue[][]
    suffix?: string
  }
}[keyof Tables & string]

/**
 * Runs several insertions in this order as one statement, which is one transaction. The last ones update rows that other
 * servers update too. Their locks are held only briefly, because there is no round trip between the statements and the commit
 * in which this process could be busy or die.
 */
export async function insertAll(
  { kind, query }: Pick<Db, 'kind' | 'query'>,
  insertions: readonly Insertion[],
): Promise<void> {
  if (kind === 'sqlite') {
    const statements = insertions.map(({ table, columns, rows, suffix }) => ({
      sql: insertWithParameters(table, columns, suffix),
      rows: toStorableRows(rows),
    }))
    const name = `insert into ${insertions.map(({ table }) => table).join(', ')}`
    await query.executeQuery(CompiledQuery.raw(name, [{ statements } satisfies StatementBatch]))
    return
  }
  const steps = insertions.map(({ table, columns, suffix = '' }, at) => {
    // The condition is always true. Because it reads the previous step, Postgres runs the steps in order.
    const waitForPrevious = at > 0 ? `where (select count(*) from step${at - 1}) >= 0` : ''
    return `step${at} as (${insertFromJson(table, columns, at + 1)} ${waitForPrevious} ${suffix} returning 1)`
  })
  const statement = `with ${steps.join(', ')} select count(*) from step${insertions.length - 1}`
  const parameters = insertions.map(({ rows }) => JSON.stringify(toStorableRows(rows)))
  await query.executeQuery(CompiledQuery.raw(statement, parameters))
}

/**
 * Returns the `on conflict` clause that adds the values to an existing row with the same `key`.
 * @param ceiling columns whose sums are limited to `max`, the maximum of their type.
 */
export function addToExisting(
  table: string,
  key: readonly string[],
  columns: readonly string[],
  ceiling?: { columns: RegExp; max: bigint },
): string {
  const sums = columns.map((name) => {
    const sum = `${table}.${name} + excluded.${name}`
    if (!ceiling?.columns.test(name)) return `${name} = ${sum}`
    const { max } = ceiling
    return `${name} = case when ${table}.${name} > ${max} - excluded.${name} then ${max} else ${sum} end`
  })
  return `on conflict (${key.join(', ')}) do update set ${sums.join(', ')}`
}

/** Returns the `on conflict` clause that updates `columns` of an existing row with the same `key`. */
export function replaceExisting(key: readonly string[], columns: readonly string[]): string {
  const values = columns.map((name) => `${name} = excluded.${name}`)
  return `on conflict (${key.join(', ')}) do update set ${values.join(', ')}`
}

/** The insert statement of the embedded database, with a parameter for each column. */
function insertWithParameters(table: string, columns: object, suffix = ''): string {
  const names = Object.keys(columns)
  return `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) ${suffix}`
}

/** The insert statement of Postgres. The parameter with this number has all rows as JSON. */
function insertFromJson(table: string, columns: object, parameter: number): string {
  const types = Object.values(columns)
  const values = types.map((type, at) => (type === 'bigint' ? `(value ->> ${at})::bigint` : `value ->> ${at}`))
  const insertInto = `insert into ${table} (${Object.keys(columns).join(', ')})`
  return `${insertInto} select ${values.join(', ')} from json_array_elements($${parameter}::json)`
}

function toStorableRows(rows: readonly ColumnValue[][]): ColumnValue[][] {
  return rows.map((row) => (row.every(isStorable) ? row : row.map(toStorableValue)))
}

function isStorable(value: ColumnValue): boolean {
  return typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))
}

/**
 * Replaces U+0000 and lone surrogates, which Postgres rejects, by U+FFFD. Applies to both databases.
 */
export function toStorableValue<Value extends ColumnValue>(value: Value): Value {
  return typeof value === 'string' ? (value.toWellFormed().replaceAll('\0', '\ufffd') as Value) : value
}
