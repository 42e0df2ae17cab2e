import type { RawBuilder, SelectQueryBuilder } from 'kysely'
import { Fault } from '#platform/core/fault.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { RequestTag } from './generation.ts'
import { type GenerationRecord, generationRecord, recordColumns } from './record.ts'
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
type Place = { createdAt: number; id: string }

/**
 * The maximum number of rows that one page scans, which limits the time of a search. If matches are rare, a page has fewer
 * items than requested, or none, and a cursor to continue. Rows that are not ordered by time are on separate database pages.
 */
const examinedAtMost = { neighbours: 5_000, scattered: 2_000 }

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
  examined?: number,
): Promise<{ data: GenerationRecord[]; nextCursor: string | undefined }> {
  const owner = visibilityOf(caller)
  const cursor = page.cursor === undefined ? undefined : readCursor(page.cursor)
  if (excludes(filter, owner)) return { data: [], nextCursor: undefined }
  const reach = reachOf(filter, owner)
  const reached = byIndex(db.reports.selectFrom('generations'), reach)
  const tests = testsOf(filter, reach, owner)
  const looked = examined ?? examinedAtMost[reach[0] === 'created_at' ? 'neighbours' : 'scattered']
  const since = tests.length > 0 ? await lastLookedAt(reached, filter, cursor, looked) : undefined
  const rows = await tests
    .reduce((passing, test) => passing.where(test), between(reached, { ...filter, from: since ?? filter.from }, cursor))
    .$if(isOrganization(owner), (own) => own.where('organization_id', '=', owner[1]))
    .select(recordColumns)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
  const last = rows.at(-1)
  const next = rows.length === page.limit ? last && placeOf(last) : since !== undefined && { createdAt: since, id: '' }
  // Filters must not reveal requests of keys that the caller is not allowed to see.
  const isHidden = next && !last && reach[0] === 'key_hash' && !(await isSeen(reached, owner))
  return { data: rows.map(generationRecord), nextCursor: next && !isHidden ? cursorOf(next) : undefined }
}

/**
 * All requests that a caller is allowed to see and that pass a filter, for sums. Undefined if the filter excludes them all.
 */
export function matchingGenerations(
  { db }: { db: Pick<Db, 'reports'> },
  caller: Visibility,
  filter: GenerationFilter,
): Generations | undefined {
  const owner = visibilityOf(caller)
  if (excludes(filter, owner)) return undefined
  const reach = reachOf(filter, owner)
  const reached = between(byIndex(db.reports.selectFrom('generations'), reach), filter, undefined)
  return testsOf(filter, reach, owner)
    .reduce((passing, test) => passing.where(test), reached)
    .$if(isOrganization(owner), (own) => own.where('organization_id', '=', owner[1]))
}

const placeOf = ({ created_at, id }: { created_at: number; id: string }) => ({ createdAt: created_at, id })

type Owner = ReturnType<typeof visibilityOf>
const isOrganization = ([column]: Owner) => column === 'organization_id'

/** Whether a filter excludes everything that the caller is allowed to see. */
function excludes({ keyHash, userId, workspaceId }: GenerationFilter, [column, value]: Owner): boolean {
  const all = { key_hash: keyHash, user_id: userId, workspace_id: workspaceId, organization_id: undefined }
  const requested = all[column]
  return requested !== undefined && requested !== value
}

/** The indexed column that selects the rows, and its value. */
type Reach =
  | readonly ['session_id' | 'key_hash' | 'user_id' | 'workspace_id', string]
  | readonly ['outcome' | 'guardrails' | 'unconfirmed' | 'created_at']

/**
 * Selects the index of the most selective filter. Two filters can match millions of rows each and none together, which a
 * database would scan. The other filters are tested on the rows of the page.
 */
function reachOf(filter: GenerationFilter, owner: Owner): Reach {
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

function byIndex(query: Generations, [column, value]: Reach): Generations {
  return query
    .$if(column === 'outcome', (rows) => rows.where('outcome', '<>', sql.lit('success')))
    .$if(column === 'guardrails', (rows) => rows.where('guardrails', 'is not', null))
    .$if(column === 'unconfirmed', (rows) => rows.where('margin_pico', '>', sql.lit(0) as never))
    .$if(value !== undefined, (rows) => rows.where(column as 'key_hash', '=', value!))
}

/**
 * One bound at each end, because SQLite may choose the wrong one of two for its index. A cursor adds its time as a separate
 * bound, because Postgres does not estimate ranges of pairs well.
 */
function between(query: Generations, { from, to }: GenerationFilter, cursor: Place | undefined): Generations {
  const end = cursor && (to === undefined || cursor.createdAt < to) ? cursor : { createdAt: to, id: '' }
  return query
    .$if(from !== undefined, (rows) => rows.where('created_at', '>=', from!))
    .$if(end.createdAt !== undefined, (rows) => rows.where('created_at', end.id === '' ? '<' : '<=', end.createdAt!))
    .$if(end.id !== '', (rows) => rows.where(sql<boolean>`(created_at, id) < (${end.createdAt}, ${end.id})`))
}

/**
 * The start time of the last row that a page can scan; undefined if there are fewer rows. Reads only the index. Rows of the
 * same millisecond are included, so that the next page starts before it.
 */
async function lastLookedAt(
  reached: Generations,
  { from, to }: GenerationFilter,
  cursor: Place | undefined,
  examined: number,
): Promise<number | undefined> {
  // Some rows of the millisecond in which the previous page ended may not have been scanned.
  const older = cursor && cursor.createdAt + (cursor.id === '' ? 0 : 1)
  const before = Math.min(to ?? Number.POSITIVE_INFINITY, older ?? Number.POSITIVE_INFINITY)
  const last = await between(reached, { from, to: Number.isFinite(before) ? before : undefined }, undefined)
    .select('created_at')
    .orderBy('created_at', 'desc')
    .offset(examined - 1)
    .limit(1)
    .executeTakeFirst()
  return last?.created_at
}

async function isSeen(reached: Generations, owner: Owner): Promise<boolean> {
  const [column, value] = owner
  const any = (await reached.select(column).limit(1).executeTakeFirst()) as Record<string, unknown> | undefined
  return any?.[column] === value
}

type Tested = [
  column: keyof Tables['generations'],
  operator: '=' | '>=' | '<=',
  value: string | number | bigint | undefined,
]

/** Filters that are tested on each row. Their form prevents the database from using their index. */
function testsOf(filter: GenerationFilter, [reach]: Reach, owner: Owner): RawBuilder<boolean>[] {
  const { outcome, guardrailId, streamed } = filter
  const tested: Tested[] = [
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
    // The organization matches most rows of an installation.
    ...(isOrganization(owner) ? [] : [[owner[0], '=', owner[1]] satisfies Tested]),
  ]
  return [
    ...tested
      .filter(([column, , value]) => value !== undefined && column !== reach)
      .map(([column, operator, value]) => sql`${sql.ref(column)} ${sql.raw(operator)} ${value}`),
    ...(filter.unconfirmed && reach !== 'unconfirmed' ? [sql`margin_pico > 0`] : []),
    ...(filter.tag === undefined
      ? []
      : [
          sql`exists (select 1 from request_tags where generation_id = generations.id and name = ${filter.tag[0]} and value = ${filter.tag[1]})`,
        ]),
    ...(outcome === undefined ? [] : [sql`outcome in (${sql.join(outcome)})`]),
    ...(guardrailId === undefined ? [] : [sql`',' || guardrails || ',' like ${`%,${guardrailId},%`}`]),
  ].map((condition) => sql<boolean>`(${condition}) is true`)
}

const cursorOf = ({ createdAt, id }: Place) => Buffer.from(`${createdAt} ${id}`).toString('base64url')

function readCursor(cursor: string): Place {
  const [, createdAt, id] = /^(\d{1,15}) (\S{0,200})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id }
  throw new Fault('invalid', 'Invalid request: cursor: must be the next_cursor of an earlier page')
}
