import type { RawBuilder } from 'kysely'
import { sql } from '#platform/db/kysely.ts'
import { exactSum } from '../ledger/exact.ts'
import type { CellTable, summedBy } from '../rollups/cell-tables.ts'
import { isMoney, type Sum, type SumName, sums } from './sums.ts'

/** The expression that a row adds to a sum. */
export function addedColumn(name: SumName, table: CellTable): RawBuilder<unknown> {
  if (table === 'model_cells') return sql.ref(columnsOfModels[name])
  const { amount, where }: Sum = sums[name]
  return where ? sql`case when ${conditionOf(where)} then ${sql.ref(amount)} else 0 end` : sql.ref(amount)
}

/** The same for cells of models, which have a separate column for each sum. */
const columnsOfModels = {
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
} as const satisfies Record<SumName, (typeof summedBy)['model_cells'][number]>

/** The sum over rows. Read it with `readSumColumn`. Only money can exceed a column. */
export function sumColumn(name: SumName, added: RawBuilder<unknown>): RawBuilder<unknown> {
  return isMoney(name) ? exactSum(added) : sql`cast(sum(${added}) as text)`
}

const conditionOf = ({ column, is, value }: NonNullable<Sum['where']>) =>
  sql`${sql.ref(column)} ${sql.raw(is ? '=' : '<>')} ${sql.lit(value)}`
