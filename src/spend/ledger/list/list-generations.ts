import type { RawBuilder } from 'kysely'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { type GenerationRecord, recordColumns, toGenerationRecord } from '../record.ts'
import { type CursorPosition, readCursor, toCursor, toPosition } from './generation-cursor.ts'
import {
  excludesEverything,
  type GenerationFilter,
  type Generations,
  type IndexFilter,
  rowConditions,
  selectByIndex,
  selectIndex,
} from './generation-filter.ts'
import { type RequestReader, type VisibleRows, visibleRows } from './visibility.ts'

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
  caller: RequestReader,
  filter: GenerationFilter,
  page: { limit: number; cursor?: string | undefined },
  scannedRows?: number,
): Promise<{ data: GenerationRecord[]; nextCursor: string | undefined }> {
  const cursor = page.cursor === undefined ? undefined : readCursor(page.cursor)
  const search = createSearch(db, caller, filter)
  if (!search) return { data: [], nextCursor: undefined }
  const scanLimit = scannedRows ?? maxScannedRows[search.index.column === 'created_at' ? 'neighbours' : 'scattered']
  const since = search.conditions.length > 0 ? await findScanStart(search, filter, cursor, scanLimit) : undefined
  const rows = await selectMatchingRows(search, { from: since ?? filter.from, to: filter.to }, cursor)
    .select(recordColumns)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
  const last = rows.at(-1)
  const scanEnd = since === undefined ? undefined : { createdAt: since, id: wholeMillisecond }
  const next = last && rows.length === page.limit ? toPosition(last) : scanEnd
  const isLastPage = next === undefined || (!last && (await isHidden(search)))
  return { data: rows.map(toGenerationRecord), nextCursor: isLastPage ? undefined : toCursor(next) }
}

/**
 * Selects the requests that match a filter and that the caller can see, newest first, in slices of time. Other statements
 * run between the slices.
 * @param sliceRows the number of rows that a slice scans. Rows of the same millisecond are in one slice.
 */
export async function* selectGenerationSlices(
  { db }: { db: Pick<Db, 'reportQuery'> },
  caller: RequestReader,
  filter: GenerationFilter,
  sliceRows: number,
): AsyncGenerator<{ rows: Generations }> {
  const search = createSearch(db, caller, filter)
  if (!search) return
  const { from } = filter
  let { to } = filter
  for (;;) {
    const since = await findScanStart(search, { from, to }, undefined, sliceRows)
    yield { rows: selectMatchingRows(search, { from: since ?? from, to }, undefined) }
    if (since === undefined) return
    to = since
  }
}

/** How the requests that match a filter are found: by one index, and by conditions on its rows. */
type Search = {
  index: IndexFilter
  /** The rows of the index, unordered. */
  indexedRows: Generations
  conditions: readonly RawBuilder<boolean>[]
  visible: VisibleRows
}

/** @returns undefined if the filter excludes everything that the caller can see. */
function createSearch(
  db: Pick<Db, 'reportQuery'>,
  caller: RequestReader,
  filter: GenerationFilter,
): Search | undefined {
  const visible = visibleRows(caller)
  if (excludesEverything(filter, visible)) return undefined
  const index = selectIndex(filter, visible)
  return {
    index,
    indexedRows: selectByIndex(db.reportQuery.selectFrom('generations'), index),
    conditions: rowConditions(filter, index, visible),
    visible,
  }
}

type TimeRange = Pick<GenerationFilter, 'from' | 'to'>

/** The id in a cursor whose page contains all rows of its millisecond. */
const wholeMillisecond = ''

/**
 * Selects the matching rows of a time. The organization is added here and is not in `conditions`: it matches most rows of an
 * installation, so a page without other conditions needs no limited scan.
 */
function selectMatchingRows(
  { indexedRows, conditions, visible }: Search,
  time: TimeRange,
  cursor: CursorPosition | undefined,
): Generations {
  const matching = conditions.reduce(
    (rows, condition) => rows.where(condition),
    restrictTime(indexedRows, time, cursor),
  )
  const { column, organizationId } = visible
  if (column === 'organization_id') return matching.where('organization_id', '=', organizationId)
  // A person can be a member of several organizations. `is true` prevents the use of the index of the organization.
  if (column === 'user_id') return matching.where(sql<boolean>`(organization_id = ${organizationId}) is true`)
  return matching
}

/** Limits the time. Sets only one bound at each end, because SQLite may use the wrong one of two for its index. */
function restrictTime(query: Generations, { from, to }: TimeRange, cursor: CursorPosition | undefined): Generations {
  const started = from === undefined ? query : query.where('created_at', '>=', from)
  if (cursor && (to === undefined || cursor.createdAt < to)) return beforeCursor(started, cursor)
  return to === undefined ? started : started.where('created_at', '<', to)
}

/** Adds the time as a separate bound, because Postgres does not estimate ranges of pairs well. */
function beforeCursor(query: Generations, { createdAt, id }: CursorPosition): Generations {
  if (id === wholeMillisecond) return query.where('created_at', '<', createdAt)
  return query.where('created_at', '<=', createdAt).where(sql<boolean>`(created_at, id) < (${createdAt}, ${id})`)
}

/**
 * Returns the start time of the last row that a page can scan; undefined if fewer rows remain. Reads only the index. Rows of the
 * same millisecond are included, so that the next page starts before it.
 */
async function findScanStart(
  { indexedRows }: Search,
  { from, to }: TimeRange,
  cursor: CursorPosition | undefined,
  scannedRows: number,
): Promise<number | undefined> {
  // Some rows of the millisecond in which the previous page ended may not have been scanned.
  const cursorEnd = cursor && cursor.createdAt + (cursor.id === wholeMillisecond ? 0 : 1)
  const before = Math.min(to ?? Number.POSITIVE_INFINITY, cursorEnd ?? Number.POSITIVE_INFINITY)
  const last = await restrictTime(indexedRows, { from, to: Number.isFinite(before) ? before : undefined }, undefined)
    .select('created_at')
    .orderBy('created_at', 'desc')
    .offset(scannedRows - 1)
    .limit(1)
    .executeTakeFirst()
  return last?.created_at
}

/**
 * Whether the caller can see no row of a search by key. Such a search scans all requests of that key, and a cursor would reveal
 * that there are some.
 */
async function isHidden({ index, indexedRows, visible }: Search): Promise<boolean> {
  if (index.column !== 'key_hash') return false
  const row = await indexedRows
    .select((e) => [e.ref(visible.column).as('owner'), 'organization_id'])
    .limit(1)
    .executeTakeFirst()
  return row?.owner !== visible.value || row.organization_id !== visible.organizationId
}
