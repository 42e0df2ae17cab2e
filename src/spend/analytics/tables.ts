import type { Db } from '#platform/db/db.ts'
import { grains } from '../rollups/cell.ts'
import { type CellTable, dimensionsOf, grainsOf } from '../rollups/cell-tables.ts'
import type { DimensionColumn } from '../rollups/dimensions.ts'
import type { TableSlotRange } from './cell-query.ts'
import type { SlotRange } from './slot-ranges.ts'

/** The tables, in ascending order of their number of cells. */
const tablesBySize = ['model_cells', 'workspace_cells', 'key_cells'] as const satisfies CellTable[]

const tableOfAllDimensions = 'key_cells'

/**
 * Assigns to each range the smallest table that has the requested dimensions. `model_cells` has no minutes, and can begin
 * later than the other tables. Earlier times are read from the next larger table.
 */
export async function assignTables(
  { db }: { db: Pick<Db, 'reportQuery'> },
  slotRanges: readonly SlotRange[],
  requiredDimensions: readonly DimensionColumn[],
): Promise<TableSlotRange[]> {
  const usableTables = tablesBySize.filter((table) => {
    const columns: readonly DimensionColumn[] = dimensionsOf[table]
    return requiredDimensions.every((column) => columns.includes(column))
  })
  const fallbackTable = usableTables.find((table) => table !== 'model_cells') ?? tableOfAllDimensions
  if (usableTables[0] !== 'model_cells') return slotRanges.map((range) => ({ ...range, table: fallbackTable }))
  const since = await modelCellsSince(db)
  return slotRanges.flatMap((range) => {
    const tableGrains: readonly number[] = grainsOf.model_cells
    const from = tableGrains.includes(range.grain) ? Math.max(range.from, (since * grains.day) / range.grain) : range.to
    return [
      { ...range, to: Math.min(from, range.to), table: fallbackTable },
      { ...range, from, table: 'model_cells' as const },
    ].filter(({ from: start, to: end }) => start < end)
  })
}

/** Returns the first day whose model cells are complete. */
async function modelCellsSince(db: Pick<Db, 'reportQuery'>): Promise<number> {
  const row = await db.reportQuery.selectFrom('model_cells_since').select('day').executeTakeFirst()
  return row?.day ?? 0
}
