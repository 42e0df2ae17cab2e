import { type Amount, amountNames, type Cell, type Grain, grains } from './cell.ts'
import { type Dimension, dimensionNames } from './dimensions.ts'

/**
 * The tables of cells. Cells of keys are many, so queries without keys or members use the other tables. Cells of models are
 * few, and exist only for hours and days.
 */
export const cellTables = ['workspace_cells', 'key_cells', 'model_cells'] as const
export type CellTable = (typeof cellTables)[number]

const byKeyOnly: readonly Dimension[] = ['key_hash', 'user_id']

/** The dimensions of each table. */
export const dimensionsOf = {
  workspace_cells: dimensionNames.filter((name) => !byKeyOnly.includes(name)),
  key_cells: [...dimensionNames],
  model_cells: ['organization_id', 'model'],
} as const satisfies Record<CellTable, Dimension[]>

/** The grains of each table. */
export const grainsOf = {
  workspace_cells: Object.values(grains),
  key_cells: Object.values(grains),
  model_cells: [grains.hour, grains.day],
} as const satisfies Record<CellTable, Grain[]>

/** Amounts that replace dimensions which cells of models do not have. */
const splitNames = ['answered', 'failed', 'refused', 'cancelled', 'byok_cost_pico'] as const
type Summed = Amount | (typeof splitNames)[number]

/** The summed columns of each table. */
export const summedBy = {
  workspace_cells: amountNames,
  key_cells: amountNames,
  model_cells: [...amountNames, ...splitNames],
} as const satisfies Record<CellTable, readonly Summed[]>

/** The amounts that a cell adds to these columns. */
export function addedBy(table: CellTable, { amounts, dimensions }: Cell): Record<string, bigint> {
  if (table !== 'model_cells') return amounts
  const { requests, cost_pico: cost } = amounts
  const { endpoint, outcome, byok } = dimensions
  return {
    ...amounts,
    answered: endpoint === '' ? 0n : requests,
    failed: outcome === 'failed' ? requests : 0n,
    refused: outcome === 'refused' ? requests : 0n,
    cancelled: outcome === 'client_left' ? requests : 0n,
    cost_pico: byok === 'true' ? 0n : cost,
    byok_cost_pico: byok === 'true' ? cost : 0n,
  } satisfies Record<Summed, bigint>
}
