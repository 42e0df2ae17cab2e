import type { SelectQueryBuilder } from 'kysely'
import type { Db } from '#db/db.ts'
import { sql } from '#db/kysely.ts'
import type { Tables } from '#db/tables.ts'
import { Fault } from '#lib/fault.ts'
import type { PicoUsd } from '#lib/pico-usd.ts'
import { type GenerationRecord, generationRecord, recordColumns } from './record.ts'
import { type Visibility, visibilityOf } from './visibility.ts'

/** Only generations that are all of this. Times in milliseconds since the epoch, `from` inclusive, `to` exclusive. */
export type GenerationFilter = {
  from?: number
  to?: number
  keyHash?: string
  userId?: string
  workspaceId?: string
  sessionId?: string
  model?: string
  provider?: string
  preset?: string
  /** One that refused it, or found something in it. */
  guardrailId?: string
  outcome?: readonly string[]
  error?: string
  streamed?: boolean
  minCost?: PicoUsd
  maxCost?: PicoUsd
  minLatencyMs?: number
  maxLatencyMs?: number
  minDurationMs?: number
  maxDurationMs?: number
}

/** The place of a page's last item: the next page begins after it. */
type ListGenerationsPlace = { createdAt: number; id: string }

/**
 * The most rows that one page may look at, so that no search takes longer than this many rows do. If matches are rare,
 * a page has fewer items than asked for, or none, and says where to continue.
 */
const examinedAtMost = 5_000

type Generations = SelectQueryBuilder<Tables, 'generations', object>

/**
 * The newest first.
 * @param page.cursor where an earlier page said to go on.
 * @returns `nextCursor` is undefined when there are no older ones.
 * @throws Fault `invalid` for a cursor that is none.
 */
export async function listGenerations(
  { db }: { db: Pick<Db, 'reports'> },
  caller: Visibility,
  filter: GenerationFilter,
  page: { limit: number; cursor?: string | undefined },
  examined = examinedAtMost,
): Promise<{ data: GenerationRecord[]; nextCursor: string | undefined }> {
  const owner = visibilityOf(caller)
  const reach = reachOf(filter, owner)
  const cursor = page.cursor === undefined ? undefined : readCursor(page.cursor)
  const reached = newestFirst(byIndex(db.reports.selectFrom('generations'), filter, reach, owner)).$if(
    cursor !== undefined,
    (older) => older.where(sql<boolean>`(created_at, id) < (${cursor!.createdAt}, ${cursor!.id})`),
  )
  const looked = isSearched(filter, reach, owner) ? examined : page.limit
  const among = db.reports.selectFrom(reached.selectAll().limit(looked).as('generations')) as unknown as Generations
  const rows = await newestFirst(byValue(among.where(...owned(owner)), filter))
    .select(recordColumns)
    .limit(page.limit)
    .execute()
  const lastShown = rows.at(-1) && placeOf(rows.at(-1)!)
  const next =
    rows.length === page.limit ? lastShown : await placeAfter(reached, { looked, reach, owner, lastShown, cursor })
  return { data: rows.map(generationRecord), nextCursor: next && cursorOf(next) }
}

const newestFirst = (query: Generations) => query.orderBy('created_at', 'desc').orderBy('id', 'desc')

type Owner = ReturnType<typeof visibilityOf>
const owned = ([column, value]: Owner) => [column, '=', value] as const
const isOrganization = ([column]: Owner) => column === 'organization_id'

/** The index by which rows are reached. */
type Reach = 'session' | 'failure' | 'guardrail' | 'key' | 'workspace' | 'owner'

/**
 * One index, that of what is rarest, whatever else is asked for: two conditions may hold of millions of rows each and of none
 * together, and a database looks at all of them before it says so. All others are tested among the rows that a page may look at.
 */
function reachOf({ sessionId, outcome, guardrailId, keyHash, workspaceId }: GenerationFilter, owner: Owner): Reach {
  if (sessionId !== undefined) return 'session'
  if (outcome !== undefined && !outcome.includes('success')) return 'failure'
  if (guardrailId !== undefined) return 'guardrail'
  if (keyHash !== undefined) return 'key'
  return workspaceId !== undefined && isOrganization(owner) ? 'workspace' : 'owner'
}

/** Conditions that the index finds, and those that all rows of a service pass. */
function byIndex(query: Generations, filter: GenerationFilter, reach: Reach, owner: Owner): Generations {
  const { from, to, keyHash, workspaceId, sessionId } = filter
  return query
    .$if(from !== undefined, (rows) => rows.where('created_at', '>=', from!))
    .$if(to !== undefined, (rows) => rows.where('created_at', '<', to!))
    .$if(reach === 'session', (rows) => rows.where('session_id', '=', sessionId!))
    .$if(reach === 'failure', (rows) => rows.where('outcome', '<>', sql.lit('success')))
    .$if(reach === 'guardrail', (rows) => rows.where('guardrails', 'is not', null))
    .$if(reach === 'key', (rows) => rows.where('key_hash', '=', keyHash!))
    .$if(reach === 'workspace', (rows) => rows.where('workspace_id', '=', workspaceId!))
    .$if(reach === 'owner' || isOrganization(owner), (rows) => rows.where(...owned(owner)))
}

/**
 * Whether rows must be looked at one by one. If not, the inner query is limited to the page too, which the database
 * plans better.
 */
function isSearched({ from, to, ...others }: GenerationFilter, reach: Reach, owner: Owner): boolean {
  if (reach !== 'owner' && !isOrganization(owner)) return true
  const reachedBy = { session: others.sessionId, key: others.keyHash, workspace: others.workspaceId }
  const found = reach in reachedBy ? 1 : 0
  return Object.values(others).filter((wanted) => wanted !== undefined).length > found
}

type Looked = {
  looked: number
  reach: Reach
  owner: Owner
  lastShown: ListGenerationsPlace | undefined
  cursor: ListGenerationsPlace | undefined
}

/**
 * Where the next page begins: after the last row that this one looked at, if there were as many as it may look at. A row that
 * the caller may not see is not named: its millisecond is looked at once more.
 */
async function placeAfter(reached: Generations, { looked, reach, owner, lastShown, cursor }: Looked) {
  const [column, value] = owner
  const query = reached
    .select(['created_at', 'id', column])
    .offset(looked - 1)
    .limit(1)
  const last = (await query.executeTakeFirst()) as
    | ({ created_at: number; id: string } & Record<string, unknown>)
    | undefined
  if (!last || last[column] === value) return last && placeOf(last)
  // All requests of a key have one member and one workspace.
  if (reach === 'key') return undefined
  if (lastShown?.createdAt === last.created_at) return lastShown
  const before = { createdAt: last.created_at + 1, id: '' }
  const isFurther =
    !cursor || before.createdAt < cursor.createdAt || (before.createdAt === cursor.createdAt && cursor.id !== '')
  return isFurther ? before : placeOf(last)
}

const placeOf = ({ created_at, id }: { created_at: number; id: string }) => ({ createdAt: created_at, id })

/** Conditions that each row is tested for. */
function byValue(query: Generations, filter: GenerationFilter): Generations {
  const { sessionId, keyHash, workspaceId, userId } = filter
  const { model, provider, preset, guardrailId, outcome, error, streamed } = filter
  const { minCost, maxCost, minLatencyMs, maxLatencyMs, minDurationMs, maxDurationMs } = filter
  return query
    .$if(sessionId !== undefined, (rows) => rows.where('session_id', '=', sessionId!))
    .$if(keyHash !== undefined, (rows) => rows.where('key_hash', '=', keyHash!))
    .$if(workspaceId !== undefined, (rows) => rows.where('workspace_id', '=', workspaceId!))
    .$if(userId !== undefined, (rows) => rows.where('user_id', '=', userId!))
    .$if(model !== undefined, (rows) => rows.where('model', '=', model!))
    .$if(provider !== undefined, (rows) => rows.where('provider', '=', provider!))
    .$if(preset !== undefined, (rows) => rows.where('preset', '=', preset!))
    .$if(guardrailId !== undefined, (rows) =>
      rows.where(sql<boolean>`',' || guardrails || ',' like ${`%,${guardrailId},%`}`),
    )
    .$if(outcome !== undefined, (rows) => rows.where('outcome', 'in', outcome!))
    .$if(error !== undefined, (rows) => rows.where('error', '=', error!))
    .$if(streamed !== undefined, (rows) => rows.where('streamed', '=', streamed ? 1 : 0))
    .$if(minCost !== undefined, (rows) => rows.where('cost_pico', '>=', minCost!))
    .$if(maxCost !== undefined, (rows) => rows.where('cost_pico', '<=', maxCost!))
    .$if(minLatencyMs !== undefined, (rows) => rows.where('latency_ms', '>=', minLatencyMs!))
    .$if(maxLatencyMs !== undefined, (rows) => rows.where('latency_ms', '<=', maxLatencyMs!))
    .$if(minDurationMs !== undefined, (rows) => rows.where('duration_ms', '>=', minDurationMs!))
    .$if(maxDurationMs !== undefined, (rows) => rows.where('duration_ms', '<=', maxDurationMs!))
}

const cursorOf = ({ createdAt, id }: ListGenerationsPlace) => Buffer.from(`${createdAt} ${id}`).toString('base64url')

function readCursor(cursor: string): ListGenerationsPlace {
  const [, createdAt, id] = /^(\d{1,15}) (\S{0,200})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id }
  throw new Fault('invalid', 'Invalid request: cursor: must be the next_cursor of an earlier page')
}
