import type { RawBuilder } from 'kysely'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { type GenerationRecord, recordColumns, toGenerationRecord } from '../record.ts'
import { type CursorPosition, readCursor, toCursor, toPosition } from './generation-cursor.ts'
import {
  excludesEverything,
  type GenerationFilter,
  type Generations,
  isOrganization,
  type Owner,
  rowConditions,
  selectByIndex,
  selectIndex,
} from './generation-filter.ts'
import { type Visibility, visibilityOf } from './visibility.ts'

/**
 * The maximum number of rows that one page scans, which limits the time of a search. If matches are rare, a page has fewer
 * items than requested, and a cursor to continue. `scattered` rows are on separate database pages, because their index is
 * not ordered by time.
 */
const maxScannedRows = { neighbours: 5_000, scattered: 2_000 }

/**
 * Lists generations, newest first.
 * @param page.cursor the `nextCursor` of an earlier page.
 * @returns `nextCursor` is undefined on the last page.
 * @throws Fault `invalid` for an invalid cursor.
 */
export async function listGenerations(
  { db }: { db: Pick<Db, 'reportQuery'> },
  caller: Visibility,
  filter: GenerationFilter,
  page: { limit: number; cursor?: string | undefined },
  scannedRows?: number,
): Promise<{ data: GenerationRecord[]; nextCursor: string | undefined }> {
  const owner = visibilityOf(caller)
  const cursor = page.cursor === undefined ? undefined : readCursor(page.cursor)
  if (excludesEverything(filter, owner)) return { data: [], nextCursor: undefined }
  const indexFilter = selectIndex(filter, owner)
  const indexedRows = selectByIndex(db.reportQuery.selectFrom('generations'), indexFilter)
  const rowFilters = rowConditions(filter, indexFilter, owner)
  const scanLimit = scannedRows ?? maxScannedRows[indexFilter[0] === 'created_at' ? 'neighbours' : 'scattered']
  const since = rowFilters.length > 0 ? await scanStart(indexedRows, filter, cursor, scanLimit) : undefined
  const inTime = restrictTime(indexedRows, { ...filter, from: since ?? filter.from }, cursor)
  const rows = await withConditions(inTime, rowFilters, owner)
    .select(recordColumns)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
  const last = rows.at(-1)
  const scanEnd = since === undefined ? undefined : { createdAt: since, id: '' }
  const nextPosition = last && rows.length === page.limit ? toPosition(last) : scanEnd
  // A search by key scans all requests of that key. If the caller can see none of them, a cursor would reveal that there are some.
  const isHidden = nextPosition && !last && indexFilter[0] === 'key_hash' && !(await isVisible(indexedRows, owner))
  return {
    data: rows.map(toGenerationRecord),
    nextCursor: nextPosition && !isHidden ? toCursor(nextPosition) : undefined,
  }
}

/**
 * Selects the requests that match a filter and that the caller can see, newest first, in slices of time. Other statements
 * run between the slices.
 * @param sliceRows the number of rows that a slice scans. Rows of the same millisecond are in one slice.
 */
export async function* generationSlices(
  { db }: { db: Pick<Db, 'reportQuery'> },
  caller: Visibility,
  filter: GenerationFilter,
  sliceRows: number,
): AsyncGenerator<{ rows: Generations }> {
  const owner = visibilityOf(caller)
  if (excludesEverything(filter, owner)) return
  const indexFilter = selectIndex(filter, owner)
  const indexedRows = selectByIndex(db.reportQuery.selectFrom('generations'), indexFilter)
  const rowFilters = rowConditions(filter, indexFilter, owner)
  let { to } = filter
  for (;;) {
    const since = await scanStart(indexedRows, { ...filter, to }, undefined, sliceRows)
    const inSlice = restrictTime(indexedRows, { from: since ?? filter.from, to }, undefined)
    yield { rows: withConditions(inSlice, rowFilters, owner) }
    if (since === undefined) return
    to = since
  }
}

/**
 * Adds the conditions on rows, and the organization. `rowFilters` does not contain it, because it matches most rows of an
 * installation: a page without other conditions needs no limited scan.
 */
function withConditions(query: Generations, rowFilters: RawBuilder<boolean>[], owner: Owner): Generations {
  return rowFilters
    .reduce((rows, condition) => rows.where(condition), query)
    .$if(isOrganization(owner), (rows) => rows.where('organization_id', '=', owner[1]))
}

/**
 * Limits the time. Sets only one bound at each end, because SQLite may use the wrong one of two for its index. A cursor adds its
 * time as a separate bound, because Postgres does not estimate ranges of pairs well.
 */
function restrictTime(
  query: Generations,
  { from, to }: GenerationFilter,
  cursor: CursorPosition | undefined,
): Generations {
  const end = cursor && (to === undefined || cursor.createdAt < to) ? cursor : { createdAt: to, id: '' }
  return query
    .$if(from !== undefined, (rows) => rows.where('created_at', '>=', from!))
    .$if(end.createdAt !== undefined, (rows) => rows.where('created_at', end.id === '' ? '<' : '<=', end.createdAt!))
    .$if(end.id !== '', (rows) => rows.where(sql<boolean>`(created_at, id) < (${end.createdAt}, ${end.id})`))
}

/**
 * Returns the start time of the last row that a page can scan; undefined if fewer rows remain. Reads only the index. Rows of the
 * same millisecond are included, so that the next page starts before it.
 */
async function scanStart(
  indexedRows: Generations,
  { from, to }: GenerationFilter,
  cursor: CursorPosition | undefined,
  scannedRows: number,
): Promise<number | undefined> {
  // Some rows of the millisecond in which the previous page ended may not have been scanned.
  const cursorEnd = cursor && cursor.createdAt + (cursor.id === '' ? 0 : 1)
  const before = Math.min(to ?? Number.POSITIVE_INFINITY, cursorEnd ?? Number.POSITIVE_INFINITY)
  const last = await restrictTime(indexedRows, { from, to: Number.isFinite(before) ? before : undefined }, undefined)
    .select('created_at')
    .orderBy('created_at', 'desc')
    .offset(scannedRows - 1)
    .limit(1)
    .executeTakeFirst()
  return last?.created_at
}

async function isVisible(indexedRows: Generations, owner: Owner): Promise<boolean> {
  const [column, value] = owner
  const firstRow = (await indexedRows.select(column).limit(1).executeTakeFirst()) as Record<string, unknown> | undefined
  return firstRow?.[column] === value
}
