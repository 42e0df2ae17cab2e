type Track = { width: string; from?: number }

/** What a row has at its two ends. */
const edges = 12

/** The least that a track takes, in px: `120px`, `minmax(160px, 2fr)`. */
const least = ({ width }: Track) => Number.parseInt(/\d+/.exec(width)![0], 10)

/** The columns for which there is room: those that may be left out go before any is cut off. */
export function fitting<Column extends Track>(columns: Column[], room: number): Column[] {
  const shown = columns.filter(({ from = 0 }) => room >= from)
  const needed = shown.reduce((sum, column) => sum + least(column), edges)
  const most = Math.max(...shown.map(({ from = 0 }) => from))
  if (needed <= room || most <= 0) return shown
  return fitting(
    shown.filter(({ from }) => from !== most),
    room,
  )
}
