import type { SketchName } from '../rollups/cell.ts'
import type { CellTable } from '../rollups/cell-tables.ts'
import type { Dimension } from '../rollups/dimensions.ts'
import type { DimensionFilter } from './dimensions.ts'
import type { SumName } from './sums.ts'
import type { Granularity, Tile } from './tiles.ts'

/** A stretch of time with the table of its cells. */
export type TableTile = Tile & { table: CellTable }

/** A query of roll-ups. It must be cloneable with `structuredClone`. */
export type CellQuery = {
  organizationId: string
  tiles: readonly TableTile[]
  filters: readonly DimensionFilter[]
  granularity: Granularity | undefined
  /** The length of buckets in minutes; undefined for a single one. */
  unit: number | undefined
  columns: readonly Dimension[]
  sums: readonly SumName[]
  sketches: readonly SketchName[]
  /** The maximum number of groups. More are an error. */
  mostGroups: number
}
