import { type Amount, amountNames, type Cell, type Grain, grains } from './cell.ts'
import { type Dimension, dimensionNames } from './dimensions.ts'

/**
 * The tables of cells. Those of keys are many: what does not ask for keys or members reads the others. Those of models are few,
 * and only of hours and days.
 */
export const cellTables = ['workspace_cells', 'key_cells', 'model_cells'] as const
export type CellTable = (typeof cellTables)[number]

const byKeyOnly: readonly Dimension[] = ['key_hash', 'user_id']

/** The dimensions that each table has. */
export const dimensionsOf = {
  workspace_cells: dimensionNames.filter((name) => !byKeyOnly.includes(name)),
  key_cells: [...dimensionNames],
  model_cells: ['organization_id', 'model'],
} as const satisfies Record<CellTable, Dimension[]>

/** The grains that each table has. */
export const grainsOf = {
  workspace_cells: Object.values(grains),
  key_cells: Object.values(grains),
  model_cells: [grains.hour, grains.day],
} as const satisfies Record<CellTable, Grain[]>

/** What reports tell apart by dimensions that cells of models do not have. */
const splitNames = ['answered', 'failed', 'refused', 'cancelled', 'byok_cost_pico'] as const
type Summed = Amount | (typeof splitNames)[number]

/** The columns of each table that are added up. */
export const summedBy = {
  workspace_cells: amountNames,
  key_cells: amountNames,
  model_cells: [...amountNames, ...splitNames],
} as const satisfies Record<CellTable, readonly Summed[]>

/** What a cell adds to each of these. */
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
