import type { RawBuilder, SelectQueryBuilder } from 'kysely'
import { Fault } from '#platform/core/fault.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { RequestTag } from './generation.ts'
import { type GenerationRecord, recordColumns, toGenerationRecord } from './record.ts'
import { type Visibility, visibilityOf } from './visibility.ts'

/** Filters, which are combined with AND. Times in milliseconds since the epoch, `from` inclusive, `to` exclusive. */
export type GenerationFilter = {
  from?: number
  to?: number
  keyHash?: string
  userId?: string
  workspaceId?: string
  sessionId?: string
  tag?: RequestTag
  model?: string
  provider?: string
  preset?: string
  /** A guardrail that refused the request or has findings. */
  guardrailId?: string
  outcome?: readonly string[]
  error?: string
  streamed?: boolean
  minCost?: PicoUsd
  maxCost?: PicoUsd
  /** Whether limits are charged more than the cost. */
  unconfirmed?: boolean
  minLatencyMs?: number
  maxLatencyMs?: number
  minDurationMs?: number
  maxDurationMs?: number
}

/** The end of a page. The next one starts after it. */
type CursorPosition = { createdAt: number; id: string }

/**
 * The maximum number of rows that one page scans, which limits the time of a search. If matches are rare, a page has fewer
 * items than requested, and a cursor to continue. `scattered` rows are on separate database pages, because their index is
 * not ordered by time.
 */
const maxScannedRows = { neighbours: 5_000, scattered: 2_000 }

/** Requests of the ledger. */
export type Generations = SelectQueryBuilder<Tables, 'generations', object>

/**
 * Lists generations, newest first.
 * @param page.cursor the `nextCursor` of an earlier page.
 * @returns `nextCursor` is undefined on the last page.
 * @throws Fault `invalid` for an invalid cursor.
 */
export async function listGenerations(
  { db }: { db: Pick<Db, 'reports'> },
  caller: Visibility,
  filter: GenerationFilter,
  page: { limit: number; cursor?: string | undefined },
  scannedRows?: number,
): Promise<{ data: GenerationRecord[]; nextCursor: string | undefined }> {
  const owner = visibilityOf(caller)
  const cursor = page.cursor === undefined ? undefined : readCursor(page.cursor)
  if (excludesEverything(filter, owner)) return { data: [], nextCursor: undefined }
  const indexFilter = selectIndex(filter, owner)
  const indexedRows = selectByIndex(db.reports.selectFrom('generations'), indexFilter)
  const rowFilters = rowConditions(filter, indexFilter, owner)
  const scanLimit = scannedRows ?? maxScannedRows[indexFilter[0] === 'created_at' ? 'neighbours' : 'scattered']
  const since = rowFilters.length > 0 ? await scanStart(indexedRows, filter, cursor, scanLimit) : undefined
  const rows = await rowFilters
    .reduce(
      (query, condition) => query.where(condition),
      restrictTime(indexedRows, { ...filter, from: since ?? filter.from }, cursor),
    )
    .$if(isOrganization(owner), (query) => query.where('organization_id', '=', owner[1]))
    .select(recordColumns)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
  const last = rows.at(-1)
  const scanEnd = since === undefined ? undefined : { createdAt: since, id: '' }
  const nextPosition = last && rows.length === page.limit ? toPosition(last) : scanEnd
  // Filters must not reveal requests of keys that the caller is not allowed to see.
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
  { db }: { db: Pick<Db, 'reports'> },
  caller: Visibility,
  filter: GenerationFilter,
  sliceRows: number,
): AsyncGenerator<{ rows: Generations }> {
  const owner = visibilityOf(caller)
  if (excludesEverything(filter, owner)) return
  const indexFilter = selectIndex(filter, owner)
  const indexedRows = selectByIndex(db.reports.selectFrom('generations'), indexFilter)
  const rowFilters = rowConditions(filter, indexFilter, owner)
  let { to } = filter
  for (;;) {
    const since = await scanStart(indexedRows, { ...filter, to }, undefined, sliceRows)
    const inSlice = restrictTime(indexedRows, { from: since ?? filter.from, to }, undefined)
    const rows = rowFilters
      .reduce((query, condition) => query.where(condition), inSlice)
      .$if(isOrganization(owner), (query) => query.where('organization_id', '=', owner[1]))
    yield { rows }
    if (since === undefined) return
    to = since
  }
}

const toPosition = ({ created_at, id }: { created_at: number; id: string }) => ({ createdAt: created_at, id })

type Owner = ReturnType<typeof visibilityOf>
const isOrganization = ([column]: Owner) => column === 'organization_id'

/** Whether a filter excludes everything that the caller is allowed to see. */
function excludesEverything({ keyHash, userId, workspaceId }: GenerationFilter, [column, value]: Owner): boolean {
  const ownerFilters = { key_hash: keyHash, user_id: userId, workspace_id: workspaceId, organization_id: undefined }
  const requested = ownerFilters[column]
  return requested !== undefined && requested !== value
}

/** The indexed column that selects the rows, and its value if it has one. */
type IndexFilter =
  | readonly ['session_id' | 'key_hash' | 'user_id' | 'workspace_id', string]
  | readonly ['outcome' | 'guardrails' | 'unconfirmed' | 'created_at']

/**
 * Selects the index of the most selective filter. The other filters are tested on the rows of the page:
 * if the database chose, it could scan millions of rows.
 */
function selectIndex(filter: GenerationFilter, owner: Owner): IndexFilter {
  const { sessionId, outcome, guardrailId, keyHash, userId, workspaceId } = filter
  if (sessionId !== undefined) return ['session_id', sessionId]
  if (filter.unconfirmed) return ['unconfirmed']
  if (outcome !== undefined && !outcome.includes('success')) return ['outcome']
  if (guardrailId !== undefined) return ['guardrails']
  if (keyHash !== undefined) return ['key_hash', keyHash]
  if (owner[0] !== 'organization_id') return owner
  if (userId !== undefined) return ['user_id', userId]
  return workspaceId === undefined ? ['created_at'] : ['workspace_id', workspaceId]
}

function selectByIndex(query: Generations, [column, value]: IndexFilter): Generations {
  return query
    .$if(column === 'outcome', (rows) => rows.where('outcome', '<>', sql.lit('success')))
    .$if(column === 'guardrails', (rows) => rows.where('guardrails', 'is not', null))
    .$if(column === 'unconfirmed', (rows) => rows.where('margin_pico', '>', sql.lit(0) as never))
    .$if(value !== undefined, (rows) => rows.where(column as 'key_hash', '=', value!))
}

/**
 * Limits the time. Sets only one bound at each end, because SQLite may use the wrong one of two for its index. A cursor adds its time as a separate
 * bound, because Postgres does not estimate ranges of pairs well.
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

type RowCondition = [
  column: keyof Tables['generations'],
  operator: '=' | '>=' | '<=',
  value: string | number | bigint | undefined,
]

/** Returns filters that are tested on each row. `is true` prevents the database from using their index. */
function rowConditions(filter: GenerationFilter, [indexFilter]: IndexFilter, owner: Owner): RawBuilder<boolean>[] {
  const { outcome, guardrailId, streamed, unconfirmed, tag } = filter
  const columnConditions: RowCondition[] = [
    ['session_id', '=', filter.sessionId],
    ['key_hash', '=', filter.keyHash],
    ['user_id', '=', filter.userId],
    ['workspace_id', '=', filter.workspaceId],
    ['model', '=', filter.model],
    ['provider', '=', filter.provider],
    ['preset', '=', filter.preset],
    ['error', '=', filter.error],
    ['streamed', '=', streamed === undefined ? undefined : Number(streamed)],
    ['cost_pico', '>=', filter.minCost],
    ['cost_pico', '<=', filter.maxCost],
    ['latency_ms', '>=', filter.minLatencyMs],
    ['latency_ms', '<=', filter.maxLatencyMs],
    ['duration_ms', '>=', filter.minDurationMs],
    ['duration_ms', '<=', filter.maxDurationMs],
  ]
  // The organization matches most rows of an installation.
  if (!isOrganization(owner)) columnConditions.push([owner[0], '=', owner[1]])
  const conditions: RawBuilder<unknown>[] = columnConditions
    .filter(([column, , value]) => value !== undefined && column !== indexFilter)
    .map(([column, operator, value]) => sql`${sql.ref(column)} ${sql.raw(operator)} ${value}`)
  if (unconfirmed && indexFilter !== 'unconfirmed') conditions.push(sql`margin_pico > 0`)
  if (tag !== undefined) {
    const [name, value] = tag
    conditions.push(
      sql`exists (select 1 from request_tags where generation_id = generations.id and name = ${name} and value = ${value})`,
    )
  }
  if (outcome !== undefined) conditions.push(sql`outcome in (${sql.join(outcome)})`)
  if (guardrailId !== undefined) conditions.push(sql`',' || guardrails || ',' like ${`%,${guardrailId},%`}`)
  return conditions.map((condition) => sql<boolean>`(${condition}) is true`)
}

const toCursor = ({ createdAt, id }: CursorPosition) => Buffer.from(`${createdAt} ${id}`).toString('base64url')

function readCursor(cursor: string): CursorPosition {
  const [, createdAt, id] = /^(\d{1,15}) (\S{0,200})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id }
  throw new Fault('invalid', 'Invalid request: cursor: must be the next_cursor of an earlier page')
}
