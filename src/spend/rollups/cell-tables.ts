import { type Amount, amountNames, type Cell, type Grain, grains } from './cell.ts'
import { type DimensionColumn, dimensionColumns } from './dimensions.ts'

/**
 * The tables of cells. `key_cells` has the most rows, so queries without keys or members use the other tables. `model_cells`
 * has few rows, and only hours and days.
 */
export const cellTables = ['workspace_cells', 'key_cells', 'model_cells'] as const
export type CellTable = (typeof cellTables)[number]

const keyOnlyDimensions: readonly DimensionColumn[] = ['key_hash', 'user_id']

/** The dimensions of each table. */
export const dimensionsOf = {
  workspace_cells: dimensionColumns.filter((name) => !keyOnlyDimensions.includes(name)),
  key_cells: [...dimensionColumns],
  model_cells: ['organization_id', 'model'],
} as const satisfies Record<CellTable, DimensionColumn[]>

/** The grains of each table. */
export const grainsOf = {
  workspace_cells: Object.values(grains),
  key_cells: Object.values(grains),
  model_cells: [grains.hour, grains.day],
} as const satisfies Record<CellTable, Grain[]>

/** Additional sums of `model_cells`, which replace its missing dimensions. */
const modelAmountNames = ['answered', 'failed', 'refused', 'cancelled', 'byok_cost_pico'] as const
type SumColumn = Amount | (typeof modelAmountNames)[number]

/** The summed columns of each table. */
export const sumColumns = {
  workspace_cells: amountNames,
  key_cells: amountNames,
  model_cells: [...amountNames, ...modelAmountNames],
} as const satisfies Record<CellTable, readonly SumColumn[]>

/** Returns the amounts that a cell adds to the sum columns of a table. */
export function summands(table: CellTable, { amounts, dimensions }: Cell): Record<string, bigint> {
  if (table !== 'model_cells') return amounts
  const { requests, cost_pico: cost } = amounts
  const { endpoint, outcome, byok } = dimensions
  return {
    ...amounts,
    // The endpoint is empty if none responded. A response that broke off counts as answered and as failed.
    answered: endpoint === '' ? 0n : requests,
    failed: outcome === 'failed' ? requests : 0n,
    refused: outcome === 'refused' ? requests : 0n,
    cancelled: outcome === 'client_left' ? requests : 0n,
    // Only in this table without BYOK, because it has no dimension for it.
    cost_pico: byok === 'true' ? 0n : cost,
    byok_cost_pico: byok === 'true' ? cost : 0n,
  } satisfies Record<SumColumn, bigint>
}
