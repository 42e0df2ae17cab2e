import type { RawBuilder } from 'kysely'
import { sql } from '#platform/db/kysely.ts'
import { exactSum } from '../ledger/sums/exact.ts'
import type { CellTable, sumColumns } from '../rollups/cell-tables.ts'
import { isMoney, type Sum, type SumName, sums } from './sums.ts'

/** Returns the SQL expression for the amount that a row adds to a sum. */
export function summandColumn(name: SumName, table: CellTable): RawBuilder<unknown> {
  if (table === 'model_cells') return sql.ref(modelCellColumns[name])
  const { amount, where }: Sum = sums[name]
  return where ? sql`case when ${conditionOf(where)} then ${sql.ref(amount)} else 0 end` : sql.ref(amount)
}

/** The columns of `model_cells`, which has one for each sum. */
const modelCellColumns = {
  requests: 'requests',
  answered: 'answered',
  failed: 'failed',
  refused: 'refused',
  cancelled: 'cancelled',
  prompt: 'prompt_tokens',
  completion: 'completion_tokens',
  reasoning: 'reasoning_tokens',
  cached: 'cached_tokens',
  cacheWritten: 'cache_written_tokens',
  toolCalls: 'tool_calls',
  cost: 'cost_pico',
  byokCost: 'byok_cost_pico',
  saving: 'saving_pico',
  margin: 'margin_pico',
} as const satisfies Record<SumName, (typeof sumColumns)['model_cells'][number]>

/** Returns the SQL expression for a sum over rows, as text (`readSumColumn` in `sums.ts` reads it). Only sums of money can exceed 2⁶³. */
export function sumColumn(name: SumName, summand: RawBuilder<unknown>): RawBuilder<unknown> {
  return isMoney(name) ? exactSum(summand) : sql`cast(sum(${summand}) as text)`
}

const conditionOf = ({ column, isEqual, value }: NonNullable<Sum['where']>) =>
  sql`${sql.ref(column)} ${sql.raw(isEqual ? '=' : '<>')} ${sql.lit(value)}`
