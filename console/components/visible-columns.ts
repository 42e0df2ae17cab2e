type Track = { width: string; from?: number }

/** What a row has at its two ends. */
const edges = 12

/** The least that a track takes, in px: `120px`, `minmax(160px, 2fr)`. */
const minWidth = ({ width }: Track) => Number.parseInt(/\d+/.exec(width)![0], 10)

/** The columns for which there is room: those that may be left out go before any is cut off. */
export function visibleColumns<Column extends Track>(columns: Column[], room: number): Column[] {
  const candidates = columns.filter(({ from = 0 }) => room >= from)
  const neededWidth = candidates.reduce((sum, column) => sum + minWidth(column), edges)
  const highestFrom = Math.max(...candidates.map(({ from = 0 }) => from))
  if (neededWidth <= room || highestFrom <= 0) return candidates
  return visibleColumns(
    candidates.filter(({ from }) => from !== highestFrom),
    room,
  )
}
