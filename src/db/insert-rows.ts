import { CompiledQuery } from '#db/kysely.ts'
import type { Db, Tx } from './db.ts'
import type { Tables } from './tables.ts'

/** A value of a row. Whole numbers beyond 2⁵³ are written as text. */
export type Cell = string | number | null

/** The one parameter of a statement that the embedded database runs once for each row. */
export type EachRow = { each: readonly Cell[][] }

type Columns<Table> = { readonly [Name in keyof Table]?: 'text' | 'bigint' }

/**
 * Inserts many rows with a statement of one shape, however many they are, which costs nobody a parameter a value: the
 * embedded database runs it row by row, Postgres takes the rows as one JSON text.
 * @param more what follows the values, such as `on conflict …`.
 */
export async function insertRows<Name extends keyof Tables & string>(
  db: Pick<Db, 'kind'>,
  tx: Tx,
  table: Name,
  columns: Columns<Tables[Name]>,
  rows: readonly Cell[][],
  more = '',
): Promise<void> {
  const kinds = Object.values<'text' | 'bigint' | undefined>(columns)
  const into = `insert into ${table} (${Object.keys(columns).join(', ')})`
  const kept = rows.map((row) => (row.every(isStorable) ? row : row.map(storable)))
  if (db.kind === 'sqlite') {
    const each: EachRow = { each: kept }
    await tx.executeQuery(CompiledQuery.raw(`${into} values (${kinds.map(() => '?').join(', ')}) ${more}`, [each]))
    return
  }
  const cells = kinds.map((kind, at) => (kind === 'bigint' ? `(value ->> ${at})::bigint` : `value ->> ${at}`))
  const from = `select ${cells.join(', ')} from json_array_elements($1::json)`
  await tx.executeQuery(CompiledQuery.raw(`${into} ${from} ${more}`, [JSON.stringify(kept)]))
}

function isStorable(cell: Cell): boolean {
  return typeof cell !== 'string' || (cell.isWellFormed() && !cell.includes('\0'))
}

/**
 * Postgres takes neither U+0000 nor half a surrogate pair, in text that may come from anywhere. Both databases keep the
 * replacement character in their place.
 */
function storable(cell: Cell): Cell {
  return typeof cell === 'string' ? cell.toWellFormed().replaceAll('\0', '\ufffd') : cell
}
