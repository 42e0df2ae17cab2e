import type { SketchName } from '../rollups/cell.ts'
import type { CellTable } from '../rollups/cell-tables.ts'
import type { DimensionColumn } from '../rollups/dimensions.ts'
import type { DimensionFilter } from './dimensions.ts'
import type { Granularity, SlotRange } from './slot-ranges.ts'
import type { SumName } from './sums.ts'

/** A time range, and the table that has its cells. */
export type TableSlotRange = SlotRange & { table: CellTable }

/** A query of roll-ups. It must be cloneable with `structuredClone`. */
export type CellQuery = {
  organizationId: string
  slotRanges: readonly TableSlotRange[]
  filters: readonly DimensionFilter[]
  granularity: Granularity | undefined
  /** The length of the slots by which rows are grouped, in minutes; undefined for one slot of the whole time. */
  slotMinutes: number | undefined
  columns: readonly DimensionColumn[]
  sums: readonly SumName[]
  sketches: readonly SketchName[]
  /** The maximum number of groups. A query with more groups fails. */
  maxGroups: number
}
