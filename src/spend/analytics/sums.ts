import { readSum } from '../ledger/sums/read-sum.ts'
import type { Amount, Cell } from '../rollups/cell.ts'
import type { DimensionColumn } from '../rollups/dimensions.ts'

/** An amount, summed over cells that match a condition. */
export type Sum = { amount: Amount; where?: { column: DimensionColumn; isEqual: boolean; value: string } }

export const sums = {
  requests: { amount: 'requests' },
  answered: { amount: 'requests', where: { column: 'endpoint', isEqual: false, value: '' } },
  failed: { amount: 'requests', where: { column: 'outcome', isEqual: true, value: 'failed' } },
  refused: { amount: 'requests', where: { column: 'outcome', isEqual: true, value: 'refused' } },
  cancelled: { amount: 'requests', where: { column: 'outcome', isEqual: true, value: 'client_left' } },
  prompt: { amount: 'prompt_tokens' },
  completion: { amount: 'completion_tokens' },
  reasoning: { amount: 'reasoning_tokens' },
  cached: { amount: 'cached_tokens' },
  cacheWritten: { amount: 'cache_written_tokens' },
  toolCalls: { amount: 'tool_calls' },
  cost: { amount: 'cost_pico', where: { column: 'byok', isEqual: true, value: 'false' } },
  byokCost: { amount: 'cost_pico', where: { column: 'byok', isEqual: true, value: 'true' } },
  saving: { amount: 'saving_pico' },
  margin: { amount: 'margin_pico' },
} as const satisfies Record<string, Sum>

export type SumName = keyof typeof sums

export const isMoney = (name: SumName): boolean => sums[name].amount.endsWith('_pico')

/** Reads a sum column. It is a bigint if each row is one cell, and the text of `sumColumn` if SQL added up several cells. */
export function readSumColumn(name: SumName, value: unknown): bigint {
  if (typeof value === 'bigint') return value
  return isMoney(name) ? readSum(String(value)) : BigInt(String(value))
}

/** Returns the amount that one cell adds to a sum. */
export function sumOfCell(name: SumName, { amounts, dimensions }: Cell): bigint {
  const { amount, where }: Sum = sums[name]
  const matches = !where || (dimensions[where.column] === where.value) === where.isEqual
  return matches ? amounts[amount] : 0n
}
