import type { RawBuilder } from 'kysely'
import { sql } from '#db/kysely.ts'
import type { Db } from './db.ts'

/**
 * Many rows as one parameter, for `insert … select value ->> 0, … from` it: a statement of one shape, however many rows,
 * which costs neither side a parameter a value.
 */
export function jsonRows(db: Pick<Db, 'kind'>, rows: readonly unknown[][]): RawBuilder<unknown> {
  const json = JSON.stringify(rows)
  return db.kind === 'sqlite' ? sql`json_each(${json})` : sql`json_array_elements(${json}::json)`
}

/** Text of a column of such a row. */
export const textAt = (column: number) => sql<string>`value ->> ${sql.lit(column)}`

/** Whole numbers of up to 63 bits; those beyond 2⁵³ must be written as text. */
export const integerAt = (column: number) => sql<number>`cast(value ->> ${sql.lit(column)} as bigint)`
