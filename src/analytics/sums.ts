import type { RawBuilder } from 'kysely'
import { sql } from '#db/kysely.ts'
import { exactSum, readSum } from '#usage/exact.ts'
import type { Amount, Cell } from '#usage/rollups/cell.ts'
import type { Dimension } from '#usage/rollups/dimensions.ts'

/** An amount of the cells of which something holds. */
type Sum = { amount: Amount; where?: { column: Dimension; is: boolean; value: string } }

const sums = {
  requests: { amount: 'requests' },
  answered: { amount: 'requests', where: { column: 'endpoint', is: false, value: '' } },
  failed: { amount: 'requests', where: { column: 'outcome', is: true, value: 'failed' } },
  refused: { amount: 'requests', where: { column: 'outcome', is: true, value: 'refused' } },
  cancelled: { amount: 'requests', where: { column: 'outcome', is: true, value: 'client_left' } },
  prompt: { amount: 'prompt_tokens' },
  completion: { amount: 'completion_tokens' },
  reasoning: { amount: 'reasoning_tokens' },
  cached: { amount: 'cached_tokens' },
  cacheWritten: { amount: 'cache_written_tokens' },
  toolCalls: { amount: 'tool_calls' },
  cost: { amount: 'cost_pico', where: { column: 'byok', is: true, value: 'false' } },
  byokCost: { amount: 'cost_pico', where: { column: 'byok', is: true, value: 'true' } },
  saving: { amount: 'saving_pico' },
} as const satisfies Record<string, Sum>

export type SumName = keyof typeof sums

/** The sum over rows of cells, to be read by `readSumColumn`. Only money may become more than a column holds. */
export function sumColumn(name: SumName): RawBuilder<string> {
  const { amount, where }: Sum = sums[name]
  const added = where ? sql`case when ${conditionOf(where)} then ${sql.ref(amount)} else 0 end` : sql.ref(amount)
  return isMoney(amount) ? exactSum(added) : sql`cast(sum(${added}) as text)`
}

export function readSumColumn(name: SumName, text: string): bigint {
  return isMoney(sums[name].amount) ? readSum(text) : BigInt(text)
}

const isMoney = (amount: Amount) => amount.endsWith('_pico')

const conditionOf = ({ column, is, value }: NonNullable<Sum['where']>) =>
  sql`${sql.ref(column)} ${sql.raw(is ? '=' : '<>')} ${sql.lit(value)}`

/** What one cell adds to it. */
export function sumOfCell(name: SumName, { amounts, dimensions }: Cell): bigint {
  const { amount, where }: Sum = sums[name]
  const counts = !where || (dimensions[where.column] === where.value) === where.is
  return counts ? amounts[amount] : 0n
}
