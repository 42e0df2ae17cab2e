import type { Generation } from '../../api/types.ts'

type Row = Pick<Generation, 'id' | 'created_at'>

/** A new row is searched among this number of further rows: a long request is listed below requests that started after it. */
const maxNewerRows = 500

/**
 * Inserts new rows without duplicates. While the list is scrolled down, they wait.
 * @returns the same arrays if no row is new.
 */
export function mergeNewest<R extends Row>(
  { rows, waiting }: { rows: R[]; waiting: R[] },
  newer: R[],
  isAtTop: boolean,
): { rows: R[]; waiting: R[] } {
  const searchedRows = rows.slice(0, newer.length + maxNewerRows)
  const listedIds = new Set([...waiting, ...searchedRows].map(({ id }) => id))
  const newRows = newer.filter(({ id }) => !listedIds.has(id))
  if (newRows.length === 0 && (waiting.length === 0 || !isAtTop)) return { rows, waiting }
  const all = [...newRows, ...waiting].sort(newestFirst)
  return isAtTop ? { rows: insertRows(all, rows), waiting: [] } : { rows, waiting: all }
}

const newestFirst = (a: Row, b: Row) =>
  a.created_at === b.created_at ? (a.id < b.id ? 1 : -1) : a.created_at < b.created_at ? 1 : -1

/** Inserts rows by start time: a long request ends after newer ones. */
function insertRows<R extends Row>(newRows: R[], rows: R[]): R[] {
  const oldest = newRows.at(-1)
  const end = oldest === undefined ? 0 : rows.findIndex((row) => newestFirst(oldest, row) < 0)
  if (end === 0) return [...newRows, ...rows]
  const head = end < 0 ? rows : rows.slice(0, end)
  return [...[...newRows, ...head].sort(newestFirst), ...(end < 0 ? [] : rows.slice(end))]
}

/** The rows that a list retains while it is open for hours. Older rows are loaded again. */
const maxRows = 1_000

/** Cuts the list to `maxRows` when it has more than three times as many. @returns otherwise the same array. */
export function trimRows<R>(rows: R[]): R[] {
  return rows.length > 3 * maxRows ? rows.slice(0, maxRows) : rows
}

type LogRows<R> = {
  rows: R[]
  waiting: R[]
  /** Whether more rows arrived than can wait: rows below the waiting ones are missing. */
  hasGap: boolean
  cursor: string | null | undefined
}

/** Adds newer rows to the list, at its top or waiting. */
export function withNewer<R extends Row, L extends LogRows<R>>(log: L, newer: R[], isAtTop: boolean): L {
  const isRestart = isAtTop && log.hasGap
  const { rows, waiting } = mergeNewest({ ...log, ...(isRestart && { rows: [] }) }, newer, isAtTop)
  if (rows === log.rows && waiting === log.waiting) return log
  const trimmedRows = isAtTop ? trimRows(rows) : rows
  return {
    ...log,
    rows: trimmedRows,
    waiting: waiting.length > maxRows ? waiting.slice(0, maxRows) : waiting,
    hasGap: !isAtTop && (log.hasGap || waiting.length > maxRows),
    ...((isRestart || trimmedRows !== rows) && { cursor: undefined }),
  }
}

/** Inserts the waiting rows. */
export function withWaiting<R extends Row, L extends LogRows<R>>(log: L): L {
  return withNewer<R, L>(log, [], true)
}
