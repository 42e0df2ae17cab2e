import type { RawBuilder } from 'kysely'
import { sql } from '#platform/db/kysely.ts'
import { split } from './read-sum.ts'

/** An exact integer. SQLite converts integers that are too large to floating point. */
const whole = (value: RawBuilder<unknown>) => sql`cast(${value} as bigint)`

/** An integer as text, because it may not fit a double. */
export function exactly(value: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`cast(${whole(value)} as text)`
}

/** A sum in two halves, because SQLite cannot add beyond 2⁶³. Read it with `readSum`. */
export function exactSum(value: RawBuilder<unknown>): RawBuilder<string> {
  const [number, by] = [whole(value), sql.lit(Number(split))]
  const half = (part: RawBuilder<unknown>) => sql`cast(coalesce(sum(${part}), 0) as text)`
  return sql<string>`${half(sql`${number} / ${by}`)} || ' ' || ${half(sql`${number} % ${by}`)}`
}
