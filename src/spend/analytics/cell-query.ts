import type { SketchName } from '../rollups/cell.ts'
import type { CellTable } from '../rollups/cell-tables.ts'
import type { Dimension } from '../rollups/dimensions.ts'
import type { DimensionFilter } from './dimensions.ts'
import type { SumName } from './sums.ts'
import type { Granularity, Tile } from './tiles.ts'

/** A stretch of time, and the cells that tell it. */
export type TableTile = Tile & { table: CellTable }

/** What is read of roll-ups. It is what `structuredClone` can copy. */
export type CellQuery = {
  organizationId: string
  tiles: readonly TableTile[]
  filters: readonly DimensionFilter[]
  granularity: Granularity | undefined
  /** How long the buckets are that are read, in minutes; without, there is one. */
  unit: number | undefined
  columns: readonly Dimension[]
  sums: readonly SumName[]
  sketches: readonly SketchName[]
  /** Who asks for more is told to ask for less. */
  mostGroups: number
}
