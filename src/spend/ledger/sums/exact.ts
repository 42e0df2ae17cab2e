import type { RawBuilder } from 'kysely'
import { sql } from '#platform/db/kysely.ts'
import { sumBase } from './read-sum.ts'

/** Casts to an exact integer. SQLite would convert large integers to floating point. */
const toBigint = (value: RawBuilder<unknown>) => sql`cast(${value} as bigint)`

/** Reads an integer column as text, because it may exceed the exact range of a double. */
export function exactText(column: string): RawBuilder<string> {
  return sql<string>`cast(${toBigint(sql.ref(column))} as text)`
}

/** Sums in two halves, because SQLite cannot add beyond 2⁶³. Read the result with `readSum` (`read-sum.ts`). */
export function exactSum(value: RawBuilder<unknown>): RawBuilder<string> {
  const number = toBigint(value)
  const base = sql.lit(Number(sumBase))
  const sumHalf = (part: RawBuilder<unknown>) => sql`cast(coalesce(sum(${part}), 0) as text)`
  return sql<string>`${sumHalf(sql`${number} / ${base}`)} || ' ' || ${sumHalf(sql`${number} % ${base}`)}`
}
