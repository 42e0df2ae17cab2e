import type { Db } from '#platform/db/db.ts'
import { grains } from '../rollups/cell.ts'
import { type CellTable, dimensionsOf, grainsOf } from '../rollups/cell-tables.ts'
import type { DimensionColumn } from '../rollups/dimensions.ts'
import type { TableTile } from './cell-query.ts'
import type { Tile } from './tiles.ts'

/** The tables, in ascending order of their number of cells. */
const tablesBySize = ['model_cells', 'workspace_cells', 'key_cells'] as const satisfies CellTable[]

const tableOfAllDimensions = 'key_cells'

/**
 * Assigns to each tile the smallest table that has the requested dimensions. `model_cells` has no minutes, and can begin
 * later than the other tables. Earlier times are read from the next larger table.
 */
export async function assignTables(
  { db }: { db: Pick<Db, 'reportQuery'> },
  tiles: readonly Tile[],
  requiredDimensions: readonly DimensionColumn[],
): Promise<TableTile[]> {
  const usableTables = tablesBySize.filter((table) => {
    const columns: readonly DimensionColumn[] = dimensionsOf[table]
    return requiredDimensions.every((column) => columns.includes(column))
  })
  const fallbackTable = usableTables.find((table) => table !== 'model_cells') ?? tableOfAllDimensions
  if (usableTables[0] !== 'model_cells') return tiles.map((tile) => ({ ...tile, table: fallbackTable }))
  const since = await modelCellsSince(db)
  return tiles.flatMap((tile) => {
    const tableGrains: readonly number[] = grainsOf.model_cells
    const from = tableGrains.includes(tile.grain) ? Math.max(tile.from, (since * grains.day) / tile.grain) : tile.to
    return [
      { ...tile, to: Math.min(from, tile.to), table: fallbackTable },
      { ...tile, from, table: 'model_cells' as const },
    ].filter(({ from: start, to: end }) => start < end)
  })
}

/** Returns the first day whose model cells are complete. */
async function modelCellsSince(db: Pick<Db, 'reportQuery'>): Promise<number> {
  const row = await db.reportQuery.selectFrom('model_cells_since').select('day').executeTakeFirst()
  return row?.day ?? 0
}
