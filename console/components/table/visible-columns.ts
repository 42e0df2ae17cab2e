type Track = { width: string; from?: number }

/** The padding of a row at both ends together, in px. */
const rowPadding = 12

/** The minimum width of a track, in px: `120px`, `minmax(160px, 2fr)`. */
const minWidth = ({ width }: Track) => Number.parseInt(/\d+/.exec(width)![0], 10)

/** The columns that fit into the width. Optional columns are removed before any is cut off. */
export function visibleColumns<Column extends Track>(columns: Column[], availableWidth: number): Column[] {
  const candidates = columns.filter(({ from = 0 }) => availableWidth >= from)
  const neededWidth = candidates.reduce((sum, column) => sum + minWidth(column), rowPadding)
  const highestFrom = Math.max(...candidates.map(({ from = 0 }) => from))
  if (neededWidth <= availableWidth || highestFrom <= 0) return candidates
  return visibleColumns(
    candidates.filter(({ from }) => from !== highestFrom),
    availableWidth,
  )
}
