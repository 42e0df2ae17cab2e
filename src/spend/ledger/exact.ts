import type { RawBuilder } from 'kysely'
import { sql } from '#platform/db/kysely.ts'
import { split } from './read-sum.ts'

/** Whole in any case: SQLite makes a floating point number of what has become too large. */
const whole = (value: RawBuilder<unknown>) => sql`cast(${value} as bigint)`

/** A whole number as text, since it need not fit a double. */
export function exactly(value: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`cast(${whole(value)} as text)`
}

/** A sum that may be larger than what it adds up: SQLite refuses to add up beyond 2⁶³. To be read by `readSum`. */
export function exactSum(value: RawBuilder<unknown>): RawBuilder<string> {
  const [number, by] = [whole(value), sql.lit(Number(split))]
  const half = (part: RawBuilder<unknown>) => sql`cast(coalesce(sum(${part}), 0) as text)`
  return sql<string>`${half(sql`${number} / ${by}`)} || ' ' || ${half(sql`${number} % ${by}`)}`
}
