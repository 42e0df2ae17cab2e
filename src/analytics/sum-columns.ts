import type { RawBuilder } from 'kysely'
import { sql } from '#db/kysely.ts'
import { exactSum } from '#usage/exact.ts'
import { isMoney, type Sum, type SumName, sums } from './sums.ts'

/** What a row of cells adds. */
export function addedColumn(name: SumName): RawBuilder<unknown> {
  const { amount, where }: Sum = sums[name]
  return where ? sql`case when ${conditionOf(where)} then ${sql.ref(amount)} else 0 end` : sql.ref(amount)
}

/** The sum over rows of cells, to be read by `readSumColumn`. Only money may become more than a column holds. */
export function sumColumn(name: SumName): RawBuilder<unknown> {
  const added = addedColumn(name)
  return isMoney(name) ? exactSum(added) : sql`cast(sum(${added}) as text)`
}

const conditionOf = ({ column, is, value }: NonNullable<Sum['where']>) =>
  sql`${sql.ref(column)} ${sql.raw(is ? '=' : '<>')} ${sql.lit(value)}`
